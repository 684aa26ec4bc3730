#pragma once

#include <sys/types.h>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"

namespace gpulab {

// Returns whether stdin and stderr are a terminal, so that questions can be asked.
bool can_ask();

// Asks on stderr and reads a line from stdin; returns whether it begins with y or Y.
bool ask_yes_no(const std::string& question);

// Writes to stderr, ignoring errors. Wraps whole lines to the width of a terminal.
void tell(const std::string& text);

// Writes progress and remarks to stderr. Progress is shown on a terminal only, and erased afterwards.
class Narrator {
 public:
  explicit Narrator(bool quiet, double seconds_between_lines = 15);
  ~Narrator();
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;

  void remark(const std::string& line);
  // Shows on a terminal what is being done.
  void progress(const std::string& what);
  // Shows work that may take minutes. Without a terminal, writes a line from time to time, since
  // services that run tests may end a job that is silent.
  void long_progress(const std::string& what);
  // Erases the progress before other output.
  void wipe();

 private:
  bool quiet_;
  bool shows_progress_;
  bool is_dirty_ = false;
  double seconds_between_lines_;
  std::chrono::steady_clock::time_point last_line_ = std::chrono::steady_clock::now();
};

// A remark on the terminal while a process computes for long. It begins a line, and is erased before the
// process's own output is shown.
class RemarkWhileRunning {
 public:
  // Shows nothing if there is no remark.
  RemarkWhileRunning(std::string remark, pid_t process) : remark_(std::move(remark)), process_(process) {}

  // Returns how long to wait for output before the next call of show_if_long(), in ms; -1 for ever.
  int poll_ms() const { return remark_.empty() ? -1 : 500; }
  void show_if_long();
  // Call it before the output is shown.
  void clear_before(std::string_view output);

 private:
  Narrator narrator_{false};
  std::string remark_;
  pid_t process_;
  int idle_polls_ = 0;       // calls of show_if_long() since the last output
  double cpu_before_s_ = 0;  // CPU time that the process had used at the last output
  bool is_shown_ = false, is_at_line_start_ = true;
};

// Formats an estimate of remaining time: "40 s", "3 min".
std::string rough_time(double seconds);

// The destination of a report: stdout, or a file that appears when it is complete.
class ReportOutput {
 public:
  // Throws UsageError at once if the file cannot be written, rather than after a long run, or if it has
  // source code. Writes nothing yet. Resolves links now, so that code that runs in between cannot plant one.
  explicit ReportOutput(const std::optional<std::filesystem::path>& file);

  bool is_file() const { return file_.has_value(); }
  // Throws UsageError if the file had a document of gpulab of another kind than the text that begins so.
  void require_same_kind(std::string_view beginning) const;
  // Throws UsageError if the file had anything but a document of this schema, such as "gpulab.bench".
  void require_document(const std::string& schema) const;
  void write(const std::string& text);
  // Writes a text meant for people: on stdout like print().
  void show(const std::string& text);

 private:
  std::optional<std::filesystem::path> file_;
  std::optional<OpenFolder> folder_;  // the folder of the file; none for a device
  std::string schema_;                // "gpulab.bench", in quotes, if the file had such a document
  bool is_in_place_ = false, has_text_ = false;
};

// Throws UsageError if the file cannot be written.
inline void require_writable(const std::filesystem::path& file) {
  ReportOutput{file};
}

// Returns whether the file's ending is that of source code, which no report replaces.
bool is_source_code(const std::filesystem::path& file);

// Returns whether the file is a device or pipe, which is written in place, never renamed or replaced.
bool is_written_in_place(const std::filesystem::path& file);

// Writes a text to stdout. If it does not fit the terminal, pipes it through $GPULAB_PAGER, $PAGER or less.
void print(const std::string& text);

// Turns the pager off, for --no-pager.
void forbid_pager();

// The output of a command that watches files. On a terminal it fills the screen: a text that m and b scroll,
// and a last line with the state and the keys. Elsewhere the texts are printed one after another. When the
// screen closes, the last text is printed once more, so that it remains on the terminal.
class WatchConsole {
 public:
  using Text = std::function<std::string(const TextStyle&)>;

  // `keys` lists the keys that the command obeys: "q quits, h hints". A plain console has no screen, keys or
  // colour.
  WatchConsole(std::string keys, bool is_plain);
  ~WatchConsole();

  bool has_screen() const { return screen_.has_value(); }

  // Returns a descriptor that is readable when a key was pressed; -1 if there are no keys.
  int descriptor() const { return keys_.descriptor(); }

  void show(Text text);
  // Shows a more complete version of the same text, on a screen only.
  void update(Text text);
  // Shows the message instead of the text on a screen, and prints it to stderr elsewhere.
  void show_error(const std::string& message);
  // Shows the current activity until the next text is shown: "checking first_kernel.cu".
  void show_activity(const std::string& what);

  // Returns the keys that were pressed, without waiting. Keys that scroll a long text are not returned.
  std::string pressed();
  // Waits for a save, a key or a resize, at most a quarter of a second, because without notifications the
  // caller has to poll the files. Then says which of the known files are gone, and returns like pressed().
  std::string wait(const FolderEvents& saves, SavedFiles& known);

 private:
  void print(const Text& text) const;
  void draw();
  bool scroll(char key);
  std::string last_line(std::size_t room) const;

  std::string key_help_;
  bool is_plain_;
  TerminalKeys keys_;  // must outlive the screen
  std::optional<CapturedOutput> stderr_;
  std::optional<TerminalScreen> screen_;
  Narrator narrator_;
  Text text_;
  std::string remarks_, activity_;
  std::string reply_;  // answer to a key, in the last line until the next one
  Page page_;
};

}  // namespace gpulab
