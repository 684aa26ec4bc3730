#include "cli/watch_console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <utility>

#include "core/text.hpp"

namespace gpulab::cli {
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
  for (const std::string& line : lines_of(text)) {
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
  report::TextStyle style = style_of_stdout();
  if (is_plain_) style.colour = false;
  Output({}).write(text(style) + "\n");
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
  if (descriptor() >= 0 && stdout_is_terminal()) Output({}).write("watching: " + key_words_ + "\n");
}

void WatchConsole::update(Text text) {
  if (!has_screen()) return;
  text_ = std::move(text);
  draw();
}

void WatchConsole::show_error(const std::string& message) {
  narrator_.wipe();
  if (!has_screen()) return tell(message);
  show([message](const report::TextStyle& style) {
    return report::paragraph(message, report::Ink::plain, style);
  });
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

std::string WatchConsole::wait(const learn::FolderEvents& saves) {
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
  report::TextStyle style = style_of_stdout();
  style.width = size.columns;
  std::vector<std::string> rows = screen_rows((text_ ? text_(style) : "") + remarks_, size.columns);
  const std::size_t room = size.rows - 1, all = rows.size();
  top_ = std::min(top_, all - std::min(all, room));
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(top_));
  rows.resize(room);
  rows.push_back(report::cut(last_line(all, size), size.columns));
  screen_->show(rows);
  drawn_size_ = size;
  drawn_stops_ = stops_of_the_program();
}

}  // namespace gpulab::cli
