#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "cli/output.hpp"

namespace gpulab::cli {
namespace {

bool is_wanted = true;

// What git does: a pager of our own goes before everybody's, and "" and cat mean none.
std::string pager_command() {
  for (const char* name : {"GPULAB_PAGER", "PAGER"})
    if (const char* command = std::getenv(name)) return command == std::string_view("cat") ? "" : command;
  return "less";
}

bool fits_on_screen(const std::string& text) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return true;
  constexpr std::size_t rows_of_prompt = 1;
  return rows_on_screen(text, size.ws_col) + rows_of_prompt <= size.ws_row;
}

// Ctrl-C and a pager that is left early are no reasons to end. As handlers of our own, rather than SIG_IGN,
// they are not inherited by the pager.
class PatientSignals {
 public:
  PatientSignals() : interrupt_(std::signal(SIGINT, [](int) {})), pipe_(std::signal(SIGPIPE, [](int) {})) {}
  ~PatientSignals() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGPIPE, pipe_);
  }
  PatientSignals(const PatientSignals&) = delete;
  PatientSignals& operator=(const PatientSignals&) = delete;

 private:
  void (*interrupt_)(int);
  void (*pipe_)(int);
};

// Returns whether there was such a pager.
bool was_shown_by(const std::string& pager, const std::string& text) {
  constexpr int no_such_command = 127;
  const PatientSignals signals;
  ::setenv("LESS", "FRX", /*overwrite=*/0);  // ends at once if all is shown, keeps colours and the screen
  std::FILE* pipe = ::popen(pager.c_str(), "w");
  if (!pipe) return false;
  std::fwrite(text.data(), 1, text.size(), pipe);
  const int status = ::pclose(pipe);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == no_such_command);
}

}  // namespace

std::size_t rows_on_screen(const std::string& text, std::size_t columns) {
  std::istringstream lines(text);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t width = 0;
    bool is_escape = false;
    for (const char letter : line) {
      if (letter == '\033') is_escape = true;
      if (!is_escape && (static_cast<unsigned char>(letter) & 0xC0) != 0x80) ++width;
      if (letter == 'm') is_escape = false;
    }
    rows += std::max<std::size_t>(1, (width + columns - 1) / columns);
  }
  return rows;
}

void forbid_pager() {
  is_wanted = false;
}

void print(const std::string& text) {
  const std::string pager = pager_command();
  const bool is_paged =
      is_wanted && stdout_is_terminal() && !is_dumb() && !pager.empty() && !fits_on_screen(text);
  if (!is_paged || !was_shown_by(pager, text)) Output({}).write(text);
}

}  // namespace gpulab::cli
