#include "base/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

bool is_device(const fs::path& file) {
  return file.string().starts_with("/dev/") || file.string().starts_with("/proc/");
}

// Without opening it: a pipe's reader would take that for the end.
void check_writable(const fs::path& file) {
  std::error_code ignored;
  if (file.empty()) throw UsageError("an output file needs a name");
  if (fs::is_directory(file, ignored)) cannot_write(file, "it is a folder");
  // A new file in a folder is fine; a name that is too long, or a new device, is not.
  const bool may_be_new = !is_device(file);
  if (::access(file.c_str(), F_OK) != 0 && !(errno == ENOENT && may_be_new))
    cannot_write(file, std::strerror(errno));
  if (::access(file.c_str(), F_OK) == 0 && ::access(file.c_str(), W_OK) != 0)
    cannot_write(file, std::strerror(errno));
}

}  // namespace

// What is no file on a disk, such as a pipe, /dev/null or /dev/stdout, cannot be replaced by a renamed one.
bool is_written_in_place(const fs::path& file) {
  std::error_code ignored;
  return is_device(file) || (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored));
}

ReportOutput::ReportOutput(const std::optional<fs::path>& file) : file_(file) {
  if (!file_) return;
  check_writable(*file_);
  is_in_place_ = is_written_in_place(*file_);
  const fs::path target = target_of(*file_);
  if (is_device(*file_) || is_device(target)) return;
  file_ = target;
  const fs::path folder = file_->has_parent_path() ? file_->parent_path() : fs::path(".");
  if (!is_in_place_ && ::access(folder.c_str(), W_OK | X_OK) != 0) cannot_write(*file, std::strerror(errno));
  folder_.emplace(folder);
}

void ReportOutput::write(const std::string& text) {
  if (!file_) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      cannot_write("to stdout", std::strerror(errno));
    return;
  }
  if (folder_ && is_in_place_) return folder_->write_in_place(file_->filename(), text);
  if (folder_) return folder_->replace(file_->filename(), text);
  std::ofstream stream(*file_, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) cannot_write(*file_, std::strerror(errno));
}

void ReportOutput::show(const std::string& text) {
  is_file() ? write(text) : print(text);
}

namespace {

constexpr unsigned width_without_terminal = 120;
constexpr unsigned width_of_unknown_terminal = 80;
constexpr unsigned min_width = 40;
constexpr unsigned max_width = 10000;

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

namespace {

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return !(no_colour && *no_colour) && !is_dumb();
}

}  // namespace

TextStyle style_of_stdout() {
  if (!stdout_is_terminal())
    return {.colour = false, .width = std::max(wanted_columns().value_or(width_without_terminal), min_width)};
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const unsigned width = known ? size.ws_col : wanted_columns().value_or(width_of_unknown_terminal);
  return {.colour = wants_colour(), .width = std::max(width, min_width)};
}

bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal && std::string_view(terminal) == "dumb";
}

// Open MPI's mpirun gives each of its processes a terminal, wherever it takes their output to.
bool stdout_is_terminal() {
  return ::isatty(STDOUT_FILENO) && !std::getenv("OMPI_COMM_WORLD_RANK");
}

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
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  tell(cut(what + " ...", (known ? size.ws_col : width_of_unknown_terminal) - 1));
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

// Returns whether there was such a pager.
bool was_shown_by(const std::string& pager, const std::string& text) try {
  constexpr int no_such_command = 127;
  ::setenv("LESS", "FRX", /*overwrite=*/0);  // ends at once if all is shown, keeps colours and the screen
  return run_in_shell(pager, &text) != no_such_command;
} catch (const Error&) {
  return false;
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
  if (!is_paged || !was_shown_by(pager, text)) ReportOutput({}).write(text);
}

}  // namespace gpulab
