#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace gpulab {
namespace {

constexpr unsigned width_without_terminal = 120;
constexpr unsigned least_width = 40;

bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal && std::string_view(terminal) == "dumb";
}

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return !(no_colour && *no_colour) && !is_dumb();
}

}  // namespace

TextStyle style_of_stdout() {
  winsize size{};
  if (!stdout_is_terminal()) return {.colour = false, .width = width_without_terminal};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return {.colour = wants_colour(), .width = std::max<unsigned>(known ? size.ws_col : 80, least_width)};
}

bool stdout_is_terminal() {
  return ::isatty(STDOUT_FILENO);
}

bool can_ask() {
  return ::isatty(STDIN_FILENO) && ::isatty(STDERR_FILENO);
}

bool says_yes(const std::string& question) {
  tell(question + " [y/N] ");
  char answer[80] = "";
  return std::fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

void clear_screen() {
  if (!stdout_is_terminal() || is_dumb()) return;
  std::fputs("\033[2J\033[H", stdout);
  std::fflush(stdout);
}

// A stderr that cannot be written to is no reason to give up the work.
void tell(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

Narrator::Narrator(bool quiet)
    : quiet_(quiet), shows_progress_(!quiet && ::isatty(STDERR_FILENO) && !is_dumb()) {}
Narrator::~Narrator() {
  wipe();
}

void Narrator::remark(const std::string& line) {
  wipe();
  if (!quiet_) tell(line + "\n");
}

void Narrator::progress(const std::string& what) {
  if (!shows_progress_) return;
  wipe();
  tell(what + " ...");
  is_dirty_ = true;
}

void Narrator::wipe() {
  if (is_dirty_) tell("\r\033[K");
  is_dirty_ = false;
}

}  // namespace gpulab
