#include "base/output.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"

namespace gpulab {

bool can_ask() {
  return ::isatty(STDIN_FILENO) && ::isatty(STDERR_FILENO);
}

bool ask_yes_no(const std::string& question) {
  tell(question + " [y/N] ");
  char answer[80] = "";
  return std::fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

// Ignores errors: a closed stderr is no reason to abandon the work.
void tell(const std::string& text) {
  constexpr std::size_t indent = 2;
  std::string shown;
  if (text.ends_with('\n') && ::isatty(STDERR_FILENO))
    for (const std::string& line : lines_of(text))
      for (const std::string& part :
           wrapped(line, size_of_terminal(STDERR_FILENO, ScreenSize{}).columns, indent))
        shown += part + "\n";
  std::fputs(shown.empty() ? text.c_str() : shown.c_str(), stderr);
  std::fflush(stderr);
}

Narrator::Narrator(bool quiet, double seconds_between_lines)
    : quiet_(quiet),
      shows_progress_(!quiet && ::isatty(STDERR_FILENO) && !is_dumb()),
      seconds_between_lines_(seconds_between_lines) {}
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
  // A line that wraps could not be erased.
  tell(cut(what + " ...", size_of_terminal(STDERR_FILENO, ScreenSize{}).columns - 1));
  is_dirty_ = true;
}

void Narrator::long_progress(const std::string& what) {
  if (shows_progress_) return progress(what);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_line_ < std::chrono::duration<double>(seconds_between_lines_)) return;
  last_line_ = now;
  remark(what);
}

void Narrator::wipe() {
  if (is_dirty_) tell("\r\033[K");
  is_dirty_ = false;
}

void RemarkWhileRunning::show_if_long() {
  constexpr int min_polls = 6;
  constexpr double min_cpu_s = 1.5;  // with less, the process waits, perhaps for input
  if (++idle_polls_ < min_polls || is_shown_ || !is_at_line_start_) return;
  if (cpu_seconds_of(process_) - cpu_before_s_ < min_cpu_s) return;
  narrator_.progress(remark_);
  is_shown_ = true;
}

void RemarkWhileRunning::clear_before(std::string_view output) {
  narrator_.wipe();
  is_shown_ = false;
  idle_polls_ = 0;
  is_at_line_start_ = output.ends_with('\n');
  cpu_before_s_ = cpu_seconds_of(process_);
}

std::string rough_time(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", std::round(seconds / 60));
  return fmt::format("{:.1f} h", seconds / 3600);
}

namespace {

namespace fs = std::filesystem;

bool is_device(const fs::path& file) {
  return file.string().starts_with("/dev/") || file.string().starts_with("/proc/");
}

// Throws UsageError if the file cannot be written. Does not open it: a pipe's reader would see the close as
// the end.
void check_writable(const fs::path& file) {
  std::error_code ignored;
  if (file == "-") throw UsageError("no file is called - here; without --output, a report goes to stdout");
  if (fs::is_directory(file, ignored)) throw_unwritable(file, "it is a folder");
  // A new file in a folder is fine; a new device or a name that is too long is not.
  const bool may_be_new = !is_device(file), exists = ::access(file.c_str(), F_OK) == 0;
  if (!exists && errno == ENOENT && may_be_new) return;
  if (!exists || ::access(file.c_str(), W_OK) != 0) throw_unwritable(file, std::strerror(errno));
}

constexpr std::size_t beginning_bytes = 1000;  // a document has its schema there

// Returns the schema of a document of gpulab that begins so, in quotes; empty for other texts.
std::string schema_in(std::string_view beginning) {
  if (!beginning.starts_with('{') && !beginning.starts_with('[')) return "";
  const std::size_t begin = std::min(beginning.find("\"gpulab."), beginning.size());
  const std::size_t end = beginning.find('"', begin + 1);
  return end == beginning.npos ? "" : std::string(beginning.substr(begin, end + 1 - begin));
}

[[noreturn]] void refuse_to_replace(const fs::path& file, const std::string& what) {
  throw UsageError(
      fmt::format("{} {}, which would be replaced; name another file, or move it", file.string(), what));
}

}  // namespace

bool is_source_code(const fs::path& file) {
  constexpr std::string_view endings[] = {".cu", ".cuh", ".cpp", ".hpp",     ".h",         ".hip",
                                          ".c",  ".py",  ".sh",  "Makefile", "Dockerfile", "CMakeLists.txt"};
  return std::ranges::any_of(endings, [&](std::string_view end) { return file.string().ends_with(end); });
}

// Returns true for pipes, /dev/null, /dev/stdout and the like, which a renamed file cannot replace.
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
  const bool can_read = !is_in_place_ && ::access(target.c_str(), R_OK) == 0;
  const std::string earlier = can_read ? without_byte_order_mark(read_file(target, beginning_bytes)) : "";
  has_text_ = !earlier.empty();
  if (!earlier.empty() && is_source_code(target)) refuse_to_replace(*file_, "is source code");
  schema_ = schema_in(earlier);
  if (fs::is_symlink(fs::symlink_status(*file_))) file_ = target;  // else messages name the file as typed
  const fs::path folder = file_->has_parent_path() ? file_->parent_path() : fs::path(".");
  if (!is_in_place_ && ::access(folder.c_str(), W_OK | X_OK) != 0)
    throw_unwritable(*file, std::strerror(errno));
  folder_.emplace(folder);
}

void ReportOutput::require_same_kind(std::string_view beginning) const {
  if (!schema_.empty() && beginning.substr(0, beginning_bytes).find(schema_) == beginning.npos)
    refuse_to_replace(*file_, "has a document " + schema_);
}

void ReportOutput::require_document(const std::string& schema) const {
  require_same_kind('"' + schema + '"');
  if (has_text_ && schema_.empty()) refuse_to_replace(*file_, "is no document \"" + schema + '"');
}

void ReportOutput::write(const std::string& text) {
  require_same_kind(text);
  if (!file_) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw_unwritable("to stdout", std::strerror(errno));
    return;
  }
  if (folder_ && is_in_place_) return folder_->write_in_place(file_->filename(), text);
  if (folder_) return folder_->replace(file_->filename(), text);
  std::ofstream stream(*file_, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw_unwritable(*file_, std::strerror(errno));
}

void ReportOutput::show(const std::string& text) {
  if (is_file())
    write(text);
  else
    print(text);
}

namespace {

bool pager_is_allowed = true;

// Like git, prefers the program's own variable; "" and cat mean no pager.
std::string pager_command() {
  for (const char* name : {"GPULAB_PAGER", "PAGER"})
    if (const char* command = std::getenv(name)) return command == std::string_view("cat") ? "" : command;
  return "less";
}

bool fits_on_screen(const std::string& text) {
  const ScreenSize size = size_of_terminal(STDOUT_FILENO, {0, 0});
  if (size.rows == 0 || size.columns == 0) return true;
  constexpr std::size_t rows_of_prompt = 1;
  return screen_rows(text, size.columns).size() + rows_of_prompt <= size.rows;
}

// Shows the text with the pager; returns false if there is no such pager.
bool show_with(const std::string& pager, const std::string& text) try {
  constexpr int no_such_command = 127;
  ::setenv("LESS", "FRX", /*overwrite=*/0);  // quit if it fits, keep colours and the screen
  return run_in_shell(pager, &text) != no_such_command;
} catch (const Error&) {
  return false;
}

}  // namespace

void forbid_pager() {
  pager_is_allowed = false;
}

void print(const std::string& text) {
  const std::string pager = pager_command();
  const bool is_paged =
      pager_is_allowed && stdout_is_terminal() && !is_dumb() && !pager.empty() && !fits_on_screen(text);
  if (!is_paged || !show_with(pager, text)) ReportOutput({}).write(text);
}

WatchConsole::WatchConsole(std::string keys, bool is_plain)
    : key_help_(std::move(keys)), is_plain_(is_plain), keys_(!is_plain), narrator_(/*quiet=*/false) {
  // Without keys, nothing would restore the terminal after a signal.
  if (descriptor() < 0 || !TerminalScreen::is_possible()) return;
  stderr_.emplace(STDERR_FILENO);
  screen_.emplace();
}

WatchConsole::~WatchConsole() {
  const bool had_screen = has_screen();
  screen_.reset();
  stderr_.reset();
  if (had_screen && text_) print(text_);
}

void WatchConsole::print(const Text& text) const {
  TextStyle style = style_of_stdout();
  if (is_plain_) style.colour = false;
  ReportOutput({}).write(text(style) + "\n");
}

void WatchConsole::show(Text text) {
  narrator_.wipe();
  activity_.clear();
  text_ = std::move(text);
  page_ = {};
  if (has_screen()) {
    remarks_ = stderr_->take();
    if (!remarks_.empty()) remarks_.insert(0, "\n");
    screen_->forget();  // redraws every row, so that a log of the output has each text whole
    return draw();
  }
  print(text_);
  if (descriptor() >= 0 && stdout_is_terminal()) ReportOutput({}).write("watching: " + key_help_ + "\n");
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

void WatchConsole::show_activity(const std::string& what) {
  activity_ = what;
  if (has_screen())
    draw();
  else
    narrator_.progress(what);
}

std::string WatchConsole::pressed() {
  std::string keys = keys_.read();
  std::erase_if(keys, [this](char key) { return scroll(key); });
  return keys;
}

bool WatchConsole::scroll(char key) {
  if (!has_screen() || !(key == 'm' || key == ' ' || key == 'b')) return false;
  if (page_.rows() < screen_->size().rows) return false;  // there is nothing to scroll to
  if (key == 'b')
    page_.page_up();
  else if (page_.has_more())
    page_.page_down();
  else
    reply_ = "this is all   ";
  draw();
  reply_.clear();
  return true;
}

std::string WatchConsole::wait(const FolderEvents& saves, SavedFiles& known) {
  constexpr int poll_interval_ms = 250;
  keys_.wait(saves.descriptor(), poll_interval_ms);
  saves.drain();
  if (has_screen() && screen_->is_stale()) draw();
  std::string gone;
  for (const fs::path& file : saves.gone_of(known))
    gone += "gpulab: " + file.string() + " is gone; it is watched again once it is back\n";
  if (!gone.empty()) show_error(gone);
  return pressed();
}

std::string WatchConsole::last_line(std::size_t room) const {
  const std::string state = activity_.empty() ? key_help_ : activity_ + " ...   q quits";
  if (page_.rows() <= room) return reply_ + (activity_.empty() ? "watching: " : "") + state;
  return fmt::format("{}m more, b back ({}-{} of {})   {}", reply_, page_.top() + 1,
                     std::min(page_.top() + room, page_.rows()), page_.rows(), state);
}

void WatchConsole::draw() {
  const ScreenSize size = screen_->size();
  TextStyle style = style_of_stdout();
  style.width = size.columns;
  const std::size_t room = size.rows - 1;
  std::vector<std::string> rows =
      page_.shown(screen_rows((text_ ? text_(style) : "") + remarks_, size.columns), room);
  rows.push_back(cut(last_line(room), size.columns));
  screen_->show(rows);
}

}  // namespace gpulab
