#include "base/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/output.hpp"
#include "base/text.hpp"

namespace gpulab {

ScreenSize size_of_terminal(int descriptor, const ScreenSize& fallback) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return fallback;
  return {size.ws_col > 0 ? size.ws_col : fallback.columns, size.ws_row > 0 ? size.ws_row : fallback.rows};
}

namespace {

constexpr unsigned width_without_terminal = 120;
constexpr unsigned min_width = 40;
constexpr unsigned max_width = 10000;

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return !(no_colour && *no_colour) && !is_dumb();
}

}  // namespace

std::optional<unsigned> wanted_columns() {
  const char* text = std::getenv("COLUMNS");
  if (!text) return std::nullopt;
  const char* const end = text + std::strlen(text);
  unsigned columns = 0;
  const auto [parsed, error] = std::from_chars(text, end, columns);
  const bool is_sane = error == std::errc{} && parsed == end && columns > 0 && columns <= max_width;
  return is_sane ? std::optional(columns) : std::nullopt;
}

TextStyle style_of_stdout() {
  if (!stdout_is_terminal())
    return {.colour = false, .width = std::max(wanted_columns().value_or(width_without_terminal), min_width)};
  const unsigned fallback = wanted_columns().value_or(ScreenSize{}.columns);
  const unsigned width = size_of_terminal(STDOUT_FILENO, {.columns = fallback}).columns;
  return {.colour = wants_colour(), .width = std::max(width, min_width)};
}

bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal && std::string_view(terminal) == "dumb";
}

// Open MPI's mpirun gives each process a terminal even if it redirects their output.
bool stdout_is_terminal() {
  return ::isatty(STDOUT_FILENO) && !std::getenv("OMPI_COMM_WORLD_RANK");
}

namespace {

// Returns the length of the colour escape at the start; 0 if there is none.
std::size_t colour_length(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::vector<std::string> screen_rows(const std::string& text, std::size_t columns) {
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(text)) {
    std::string row, colour;
    std::size_t width = 0;
    for (std::size_t at = 0; at < line.size();) {
      if (const std::size_t length = colour_length(std::string_view(line).substr(at))) {
        colour = line.substr(at, length);
        row += colour;
        at += length;
        continue;
      }
      const std::size_t bytes =
          std::max<std::size_t>(first_code_point(std::string_view(line).substr(at)).bytes, 1);
      const std::string letter = line[at] == '\t' ? " " : line.substr(at, bytes);
      at += bytes;
      if (static_cast<unsigned char>(letter.front()) < ' ') continue;
      const std::size_t letter_width = display_width(letter);
      if (width + letter_width > columns) {
        rows.push_back(row + (colour.empty() ? "" : "\033[0m"));
        row = colour;
        width = 0;
      }
      width += letter_width;
      row += letter;
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> Page::shown(std::vector<std::string> rows, std::size_t room) {
  rows_ = rows.size();
  room_ = room;
  top_ = std::min(top_, rows_ - std::min(rows_, room));
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(top_));
  rows.resize(room);
  return rows;
}

namespace {

constexpr int caught_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGPIPE, SIGTSTP};

// The only state that the signal handlers use.
termios normal_mode, key_mode;
const char *before_stop = "", *after_stop = "";
volatile sig_atomic_t stops = 0;  // how often the program has been stopped (Ctrl-Z)
struct sigaction earlier_actions[std::size(caught_signals)];  // previous actions of each signal

void write_now(const char* text) {
  if (::write(STDOUT_FILENO, text, std::strlen(text)) < 0) errno = 0;  // the terminal is gone
}

// Sets what a signal handler writes to stdout when the program stops or ends, and when it continues. Both
// texts must live as long as the program.
void write_when_stopped(const char* before, const char* after) {
  before_stop = before;
  after_stop = after;
}

// Uses only functions that POSIX allows in a handler (tcsetattr, sigaction, raise, write, strlen). The signal
// is raised again on return and meets the previous action.
void restore_and_end(int signal) {
  write_now(before_stop);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &normal_mode);
  for (std::size_t i = 0; i < std::size(caught_signals); ++i)
    if (caught_signals[i] == signal) ::sigaction(signal, &earlier_actions[i], nullptr);
  ::raise(signal);
}

void restore_and_stop(int) {
  const int saved_errno = errno;
  write_now(before_stop);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &normal_mode);
  ::raise(SIGSTOP);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &key_mode);
  write_now(after_stop);
  stops = stops + 1;
  errno = saved_errno;
}

void catch_signals() {
  for (std::size_t i = 0; i < std::size(caught_signals); ++i) {
    ::sigaction(caught_signals[i], nullptr, &earlier_actions[i]);
    if (earlier_actions[i].sa_handler == SIG_IGN) continue;  // respects nohup
    struct sigaction action {};
    action.sa_handler = caught_signals[i] == SIGTSTP ? restore_and_stop : restore_and_end;
    action.sa_flags = SA_RESTART;
    ::sigaction(caught_signals[i], &action, nullptr);
  }
}

void restore_signals() {
  for (std::size_t i = 0; i < std::size(caught_signals); ++i)
    ::sigaction(caught_signals[i], &earlier_actions[i], nullptr);
}

// Maps the page keys, which a presenter's remote control sends, to space (forward) and b (back). Esc stays.
std::string key_of_sequence(std::string_view sequence) {
  if (sequence == "\033[6~" || sequence == "\033[C" || sequence == "\033OC") return " ";
  if (sequence == "\033[5~" || sequence == "\033[D" || sequence == "\033OD") return "b";
  return sequence == "\033" ? "\033" : "";
}

// Arrow keys and the like are ESC [ digits letter, or ESC O letter; Alt with a key is ESC key.
std::string keys_in(std::string_view letters) {
  constexpr char escape = '\033';
  std::string keys;
  while (!letters.empty()) {
    if (letters.front() != escape) {
      keys += letters.front();
      letters.remove_prefix(1);
      continue;
    }
    std::size_t length = 2;
    if (letters.substr(1, 1) == "[") length = letters.find_first_not_of("0123456789;?", 2) + 1;  // 0: cut off
    if (letters.substr(1, 1) == "O") length = 3;
    length = length == 0 ? letters.size() : std::min(length, letters.size());
    keys += key_of_sequence(letters.substr(0, length));
    letters.remove_prefix(length);
  }
  return keys;
}

}  // namespace

bool is_quit(std::string_view keys) {
  constexpr const char* q_or_end_of_input = "q\x04";
  return keys.find_first_of(q_or_end_of_input) != std::string_view::npos;
}

TerminalKeys::TerminalKeys(bool are_wanted) {
  if (!are_wanted || !::isatty(STDIN_FILENO) || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return;
  if (::tcgetattr(STDIN_FILENO, &normal_mode) != 0) return;
  key_mode = normal_mode;
  key_mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  key_mode.c_cc[VMIN] = 1;
  key_mode.c_cc[VTIME] = 0;
  descriptor_ = STDIN_FILENO;
  enter();
}

TerminalKeys::~TerminalKeys() {
  leave();
}

void TerminalKeys::enter() {
  if (descriptor_ < 0) return;
  catch_signals();
  ::tcsetattr(STDIN_FILENO, TCSANOW, &key_mode);
}

void TerminalKeys::leave() {
  if (descriptor_ < 0) return;
  restore_signals();
  ::tcsetattr(STDIN_FILENO, TCSANOW, &normal_mode);
}

bool TerminalKeys::wait(int other, int max_ms) const {
  std::array<pollfd, 2> sources{
      {{.fd = descriptor_, .events = POLLIN, .revents = 0}, {.fd = other, .events = POLLIN, .revents = 0}}};
  return ::poll(sources.data(), sources.size(), max_ms) > 0 && sources[1].revents != 0;
}

std::string TerminalKeys::read() {
  char pressed[64];
  pollfd keys{.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (descriptor_ < 0 || ::poll(&keys, 1, 0) <= 0) return "";
  const ssize_t bytes_read = ::read(descriptor_, pressed, sizeof pressed);
  if (bytes_read == 0 || (bytes_read < 0 && errno != EINTR)) {  // the terminal is gone
    restore_signals();
    descriptor_ = -1;
  }
  return bytes_read > 0 ? keys_in({pressed, static_cast<std::size_t>(bytes_read)}) : "";
}

namespace {

// Enters the alternate screen, hides the cursor and turns off line wrapping. \033[?2026 brackets an update,
// so that it is never shown half done.
constexpr const char* enter_bytes = "\033[?1049h\033[?25l\033[?7l\033[2J";
constexpr const char* leave_bytes = "\033[?7h\033[?25h\033[?1049l";
constexpr const char* begin_of_update = "\033[?2026h";
constexpr const char* end_of_update = "\033[?2026l";

void write_to_terminal(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void wake_from_poll(int) {}

void count_stop(int) {
  stops = stops + 1;
}

}  // namespace

bool TerminalScreen::is_possible() {
  return stdout_is_terminal() && !is_dumb();
}

TerminalScreen::TerminalScreen() {
  struct sigaction action {};
  action.sa_handler = wake_from_poll;
  ::sigaction(SIGWINCH, &action, nullptr);
  enter();
}

TerminalScreen::~TerminalScreen() {
  leave();
  ::signal(SIGWINCH, SIG_DFL);
}

ScreenSize TerminalScreen::size() const {
  const ScreenSize size = size_of_terminal(STDOUT_FILENO, ScreenSize{});
  return {std::max(size.columns, 40U), std::max(size.rows, 10U)};
}

bool TerminalScreen::is_stale() const {
  return size() != shown_size_ || stops_ != stops;
}

void TerminalScreen::show(const std::vector<std::string>& lines) {
  const ScreenSize current = size();
  const bool is_new = shown_.empty() || is_stale();
  std::string text = begin_of_update;
  if (is_new) text += "\033[2J";
  const std::size_t rows = current.rows, rows_before = is_new ? 0 : shown_.size();
  for (std::size_t row = 0; row < std::min(rows, std::max(lines.size(), rows_before)); ++row) {
    const std::string line = row < lines.size() ? lines[row] : "";
    if (row < rows_before && shown_[row] == line) continue;
    // Erases first: after a line as wide as the screen it would erase the last letter.
    text += fmt::format("\033[{};1H\033[K{}", row + 1, line);
  }
  write_to_terminal(text + end_of_update);
  shown_ = lines;
  shown_size_ = current;
  stops_ = stops;
}

void TerminalScreen::leave() {
  write_when_stopped("", "");
  write_to_terminal(leave_bytes);
}

void TerminalScreen::enter() {
  write_when_stopped(leave_bytes, enter_bytes);
  write_to_terminal(enter_bytes);
  shown_.clear();
}

RedrawnText::RedrawnText() : stops_(stops) {
  struct sigaction action {};
  action.sa_handler = count_stop;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGCONT, &action, nullptr);
}

// A line wider than the screen would take several rows.
std::optional<ScreenSize> RedrawnText::screen() {
  constexpr unsigned min_columns = 40, min_rows = 8;
  const ScreenSize size = size_of_terminal(STDOUT_FILENO, {0, 0});
  const bool is_in_foreground = ::tcgetpgrp(STDOUT_FILENO) == ::getpgrp();
  if (!is_in_foreground || size.columns < min_columns || size.rows < min_rows) return std::nullopt;
  return size;
}

// Writes everything at once.
void RedrawnText::draw(const std::string& text) {
  if (stops_ != stops) shown_.clear();
  stops_ = stops;
  const std::size_t rows = screen_rows(shown_, size_of_terminal(STDOUT_FILENO, ScreenSize{}).columns).size();
  std::string drawn = begin_of_update;
  if (rows > 0) drawn += fmt::format("\r\033[{}A", rows);
  for (const std::string& line : lines_of(text)) drawn += "\033[2K" + line + "\n";
  ReportOutput({}).write(drawn + "\033[J" + end_of_update);
  shown_ = text;
}

CapturedOutput::CapturedOutput(int descriptor)
    : descriptor_(descriptor), captured_(anonymous_file("captured", "")) {
  if (!captured_.is_open()) return;
  std::fflush(stdout);
  original_ = Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  ::dup2(captured_.number(), descriptor);
}

CapturedOutput::~CapturedOutput() {
  const std::string rest = take();
  if (original_.is_open()) ::dup2(original_.number(), descriptor_);
  write_all(descriptor_, rest);
}

std::string CapturedOutput::take() {
  if (!captured_.is_open()) return "";
  std::fflush(stdout);
  std::string text;
  std::array<char, 1 << 14> part;
  for (;;) {
    const ssize_t bytes =
        ::pread(captured_.number(), part.data(), part.size(), static_cast<off_t>(text.size()));
    if (bytes <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  if (::ftruncate(captured_.number(), 0) == 0) ::lseek(captured_.number(), 0, SEEK_SET);
  return text;
}

}  // namespace gpulab
