#include "cli/terminal_screen.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdio>

#include "cli/output.hpp"
#include "cli/terminal_keys.hpp"

namespace gpulab::cli {
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

}  // namespace gpulab::cli
