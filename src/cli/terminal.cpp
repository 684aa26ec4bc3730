#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace gpulab {
namespace {

constexpr unsigned width_without_terminal = 120;
constexpr unsigned width_of_unknown_terminal = 80;
constexpr unsigned least_width = 40;
constexpr unsigned most_width = 10000;

// What COLUMNS says, where that can be meant.
std::optional<unsigned> wanted_columns() {
  const char* text = std::getenv("COLUMNS");
  if (!text) return std::nullopt;
  const char* const end = text + std::strlen(text);
  unsigned columns = 0;
  const auto [parsed, error] = std::from_chars(text, end, columns);
  const bool is_sane = error == std::errc{} && parsed == end && columns > 0 && columns <= most_width;
  return is_sane ? std::optional(columns) : std::nullopt;
}

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
  if (!stdout_is_terminal())
    return {.colour = false,
            .width = std::max(wanted_columns().value_or(width_without_terminal), least_width)};
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const unsigned width = known ? size.ws_col : wanted_columns().value_or(width_of_unknown_terminal);
  return {.colour = wants_colour(), .width = std::max(width, least_width)};
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
