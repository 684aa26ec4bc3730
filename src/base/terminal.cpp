#include "base/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/output.hpp"
#include "base/text.hpp"

namespace gpulab {
namespace {

constexpr int caught_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGPIPE, SIGTSTP};

// A signal handler can reach nothing else.
termios normal_mode, key_mode;
const char *before_stop = "", *after_stop = "";
volatile sig_atomic_t stops = 0;
struct sigaction earlier_actions[std::size(caught_signals)];  // what was to happen at each of them

void write_now(const char* text) {
  if (::write(STDOUT_FILENO, text, std::strlen(text)) < 0) errno = 0;  // the terminal is gone
}

// tcsetattr, sigaction, raise, write and strlen are among the functions that POSIX allows in a handler. The
// signal comes again when this returns, and finds what was to happen before there were keys.
void restore_and_end(int signal) {
  write_now(before_stop);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &normal_mode);
  for (std::size_t i = 0; i < std::size(caught_signals); ++i)
    if (caught_signals[i] == signal) ::sigaction(signal, &earlier_actions[i], nullptr);
  ::raise(signal);
}

void restore_and_stop(int) {
  const int number = errno;
  write_now(before_stop);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &normal_mode);
  ::raise(SIGSTOP);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &key_mode);
  write_now(after_stop);
  stops = stops + 1;
  errno = number;
}

void catch_signals() {
  for (std::size_t i = 0; i < std::size(caught_signals); ++i) {
    ::sigaction(caught_signals[i], nullptr, &earlier_actions[i]);
    if (earlier_actions[i].sa_handler == SIG_IGN) continue;  // as nohup wants it
    struct sigaction action {};
    action.sa_handler = caught_signals[i] == SIGTSTP ? restore_and_stop : restore_and_end;
    action.sa_flags = SA_RESTART;
    ::sigaction(caught_signals[i], &action, nullptr);
  }
}

void let_signals_go() {
  for (std::size_t i = 0; i < std::size(caught_signals); ++i)
    ::sigaction(caught_signals[i], &earlier_actions[i], nullptr);
}

// What turns a page is a space on, and a b back: it is what a presenter's remote control sends.
std::string key_of_sequence(std::string_view sequence) {
  if (sequence == "\033[6~" || sequence == "\033[C" || sequence == "\033OC") return " ";
  if (sequence == "\033[5~" || sequence == "\033[D" || sequence == "\033OD") return "b";
  return "";
}

// Arrows and the like are ESC [ digits letter, or ESC O letter; with Alt a key is ESC key.
std::string without_sequences(std::string_view letters) {
  constexpr char escape = '\033';
  std::string keys;
  while (!letters.empty()) {
    if (letters.front() != escape) {
      keys += letters.front();
      letters.remove_prefix(1);
      continue;
    }
    std::size_t length = 2;
    if (letters.substr(1, 1) == "[") length = letters.find_first_not_of("0123456789;?", 2) + 1;
    if (letters.substr(1, 1) == "O") length = 3;
    length = length == 0 ? letters.size() : std::min(length, letters.size());
    keys += key_of_sequence(letters.substr(0, length));
    letters.remove_prefix(length);
  }
  return keys;
}

}  // namespace

void write_when_stopped(const char* before, const char* after) {
  before_stop = before;
  after_stop = after;
}

int stops_of_the_program() {
  return stops;
}

TerminalKeys::TerminalKeys() {
  if (!::isatty(STDIN_FILENO) || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return;
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
  let_signals_go();
  ::tcsetattr(STDIN_FILENO, TCSANOW, &normal_mode);
}

std::string TerminalKeys::read() {
  char pressed[64];
  pollfd keys{.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (descriptor_ < 0 || ::poll(&keys, 1, 0) <= 0) return "";
  const ssize_t got = ::read(descriptor_, pressed, sizeof pressed);
  if (got == 0 || (got < 0 && errno != EINTR)) {  // the terminal is gone
    let_signals_go();
    descriptor_ = -1;
  }
  return got > 0 ? without_sequences({pressed, static_cast<std::size_t>(got)}) : "";
}

namespace {

// The other screen, no cursor, and lines that are cut where the screen ends; \033[?2026 keeps what is between
// from being shown half done.
constexpr const char* enter_bytes = "\033[?1049h\033[?25l\033[?7l\033[2J";
constexpr const char* leave_bytes = "\033[?7h\033[?25h\033[?1049l";
constexpr const char* begin_of_update = "\033[?2026h";
constexpr const char* end_of_update = "\033[?2026l";

void write_to_terminal(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void wake_from_poll(int) {}

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
  winsize window{};
  const bool is_known =
      ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0;
  const ScreenSize size = is_known ? ScreenSize{window.ws_col, window.ws_row} : ScreenSize{};
  return {std::max(size.columns, 40U), std::max(size.rows, 10U)};
}

void TerminalScreen::show(const std::vector<std::string>& lines) {
  const ScreenSize now = size();
  const bool is_new = shown_.empty() || now != shown_size_ || stops_ != stops_of_the_program();
  std::string text = begin_of_update;
  if (is_new) text += "\033[2J";
  const std::size_t rows = now.rows, before = is_new ? 0 : shown_.size();
  for (std::size_t row = 0; row < std::min(rows, std::max(lines.size(), before)); ++row) {
    const std::string line = row < lines.size() ? lines[row] : "";
    if (row < before && shown_[row] == line) continue;
    // Erased first: after a line as wide as the screen, its last letter would be what is erased.
    text += "\033[" + std::to_string(row + 1) + ";1H\033[K" + line;
  }
  write_to_terminal(text + end_of_update);
  shown_ = lines;
  shown_size_ = now;
  stops_ = stops_of_the_program();
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

namespace {

bool continues_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// The length of the colour that begins there; 0 where none does.
std::size_t colour_at(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

// Rows of at most so many columns: what is longer goes on in the next one, in its colour. Whatever else could
// move the cursor is left out.
std::vector<std::string> screen_rows(const std::string& text, std::size_t columns) {
  std::vector<std::string> rows;
  for (const std::string& line : gpulab::lines_of(text)) {
    std::string row, colour;
    std::size_t width = 0;
    for (std::size_t at = 0; at < line.size();) {
      if (const std::size_t length = colour_at(std::string_view(line).substr(at))) {
        row += colour = line.substr(at, length);
        at += length;
        continue;
      }
      const char letter = line[at++];
      if (static_cast<unsigned char>(letter) < ' ' && letter != '\t') continue;
      if (!continues_code_point(letter) && width++ == columns) {
        rows.push_back(row + (colour.empty() ? "" : "\033[0m"));
        row = colour;
        width = 1;
      }
      row += letter == '\t' ? ' ' : letter;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

KeptStderr::KeptStderr() : kept_(::memfd_create("stderr", MFD_CLOEXEC)) {
  if (kept_ < 0) return;
  stderr_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  ::dup2(kept_, STDERR_FILENO);
}

KeptStderr::~KeptStderr() {
  const std::string rest = take();
  if (stderr_ >= 0) ::dup2(stderr_, STDERR_FILENO), ::close(stderr_);
  if (kept_ >= 0) ::close(kept_);
  tell(rest);
}

std::string KeptStderr::take() {
  std::string text(1 << 16, '\0');
  const ssize_t got = kept_ < 0 ? 0 : ::pread(kept_, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (kept_ >= 0 && ::ftruncate(kept_, 0) == 0) ::lseek(kept_, 0, SEEK_SET);
  return text;
}

WatchConsole::WatchConsole(std::string keys, bool is_plain)
    : key_words_(std::move(keys)), is_plain_(is_plain), narrator_(false) {
  if (!is_plain) keys_.emplace();
  // Without keys nothing would give the terminal back when a signal comes.
  if (descriptor() < 0 || !TerminalScreen::is_possible()) return;
  told_.emplace();
  screen_.emplace();
}

WatchConsole::~WatchConsole() {
  const bool had_screen = has_screen();
  screen_.reset();
  told_.reset();
  if (had_screen && text_) print(text_);
}

bool WatchConsole::is_quit(const std::string& keys) {
  constexpr const char* q_or_end_of_input = "q\x04";
  return keys.find_first_of(q_or_end_of_input) != std::string::npos;
}

void WatchConsole::print(const Text& text) const {
  TextStyle style = style_of_stdout();
  if (is_plain_) style.colour = false;
  ReportOutput({}).write(text(style) + "\n");
}

void WatchConsole::show(Text text) {
  narrator_.wipe();
  work_.clear();
  text_ = std::move(text);
  top_ = 0;
  if (has_screen()) {
    remarks_ = told_->take();
    if (!remarks_.empty()) remarks_.insert(0, "\n");
    screen_->forget();  // a GPU's driver prints to stdout what kernels print
    return draw();
  }
  print(text_);
  if (descriptor() >= 0 && stdout_is_terminal()) ReportOutput({}).write("watching: " + key_words_ + "\n");
}

void WatchConsole::update(Text text) {
  if (!has_screen()) return;
  text_ = std::move(text);
  draw();
}

void WatchConsole::show_error(const std::string& message) {
  narrator_.wipe();
  if (!has_screen()) return tell(message);
  show([message](const TextStyle& style) { return paragraph(message, Ink::plain, style); });
}

void WatchConsole::working(const std::string& what) {
  work_ = what;
  if (has_screen())
    draw();
  else
    narrator_.progress(what);
}

std::string WatchConsole::pressed() {
  std::string keys = keys_ ? keys_->read() : "";
  std::erase_if(keys, [this](char key) { return scroll(key); });
  return keys;
}

bool WatchConsole::scroll(char key) {
  if (!has_screen() || !(key == 'm' || key == ' ' || key == 'b')) return false;
  const std::size_t page = screen_->size().rows - 2;  // one row of the last page stays
  top_ = key == 'b' ? top_ - std::min(top_, page) : top_ + page;
  draw();
  return true;
}

std::string WatchConsole::wait(const FolderEvents& saves) {
  constexpr int look_every_ms = 250;
  pollfd sources[] = {{.fd = descriptor(), .events = POLLIN, .revents = 0},
                      {.fd = saves.descriptor(), .events = POLLIN, .revents = 0}};
  ::poll(sources, std::size(sources), look_every_ms);
  saves.drain();
  if (has_screen() && (screen_->size() != drawn_size_ || stops_of_the_program() != drawn_stops_)) draw();
  return pressed();
}

std::string WatchConsole::last_line(std::size_t lines, const ScreenSize& size) const {
  const std::string state = work_.empty() ? key_words_ : work_ + " ...   q quits";
  const std::size_t room = size.rows - 1;
  if (lines <= room) return (work_.empty() ? "watching: " : "") + state;
  return fmt::format("m more, b back ({}-{} of {})   {}", top_ + 1, std::min(top_ + room, lines), lines,
                     state);
}

void WatchConsole::draw() {
  const ScreenSize size = screen_->size();
  TextStyle style = style_of_stdout();
  style.width = size.columns;
  std::vector<std::string> rows = screen_rows((text_ ? text_(style) : "") + remarks_, size.columns);
  const std::size_t room = size.rows - 1, all = rows.size();
  top_ = std::min(top_, all - std::min(all, room));
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(top_));
  rows.resize(room);
  rows.push_back(cut(last_line(all, size), size.columns));
  screen_->show(rows);
  drawn_size_ = size;
  drawn_stops_ = stops_of_the_program();
}

}  // namespace gpulab
