#include "base/narrator.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <cmath>
#include <cstdio>

#include "base/terminal.hpp"
#include "base/text.hpp"

namespace gpulab {

bool can_ask() {
  return ::isatty(STDIN_FILENO) && ::isatty(STDERR_FILENO);
}

bool says_yes(const std::string& question) {
  tell(question + " [y/N] ");
  char answer[80] = "";
  return std::fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
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
  // A line that wraps could not be wiped.
  tell(cut(what + " ...", size_of_terminal(STDERR_FILENO, ScreenSize{}).columns - 1));
  is_dirty_ = true;
}

void Narrator::wipe() {
  if (is_dirty_) tell("\r\033[K");
  is_dirty_ = false;
}

std::string rough_time(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", std::round(seconds / 60));
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace gpulab
