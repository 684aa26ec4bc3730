#include "cli/terminal.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace gpulab {
namespace {

constexpr unsigned width_without_terminal = 120;
constexpr unsigned least_width = 40;

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return !(no_colour && *no_colour) && !(terminal && std::string_view(terminal) == "dumb");
}

}  // namespace

TextStyle style_of_stdout() {
  winsize size{};
  if (!::isatty(STDOUT_FILENO)) return {.colour = false, .width = width_without_terminal};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return {.colour = wants_colour(), .width = std::max<unsigned>(known ? size.ws_col : 80, least_width)};
}

Narrator::Narrator(bool quiet) : quiet_(quiet), is_terminal_(::isatty(STDERR_FILENO)) {}
Narrator::~Narrator() {
  wipe();
}

void Narrator::remark(const std::string& line) {
  wipe();
  if (!quiet_) fmt::print(stderr, "{}\n", line);
}

void Narrator::progress(const std::string& what) {
  if (quiet_ || !is_terminal_) return;
  wipe();
  fmt::print(stderr, "{} ...", what);
  std::fflush(stderr);
  shows_progress_ = true;
}

void Narrator::wipe() {
  if (shows_progress_) fmt::print(stderr, "\r\033[K");
  shows_progress_ = false;
}

}  // namespace gpulab
