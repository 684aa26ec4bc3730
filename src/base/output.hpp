#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/files.hpp"

namespace gpulab {

// Returns whether stdin and stderr are a terminal, so that questions can be asked.
bool can_ask();

// Asks on stderr and reads a line from stdin; returns whether it begins with y or Y.
bool says_yes(const std::string& question);

// Writes to stderr, ignoring errors.
void tell(const std::string& text);

// Writes progress and remarks to stderr. Progress is shown on a terminal only, and erased afterwards.
class Narrator {
 public:
  explicit Narrator(bool quiet);
  ~Narrator();
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;

  void remark(const std::string& line);
  void progress(const std::string& what);
  // Erases the progress before other output.
  void wipe();

 private:
  bool quiet_;
  bool shows_progress_;
  bool is_dirty_ = false;
};

// Formats an estimate of remaining time: "40 s", "3 min".
std::string rough_time(double seconds);

// The destination of a report: stdout, or a file that appears when it is complete.
class ReportOutput {
 public:
  // Throws UsageError at once if the file cannot be written, rather than after a long run. Writes nothing
  // yet. Resolves links now, so that code that runs in between cannot plant one.
  explicit ReportOutput(const std::optional<std::filesystem::path>& file);

  bool is_file() const { return file_.has_value(); }
  void write(const std::string& text);
  // Writes a text meant for people: on stdout like print().
  void show(const std::string& text);

 private:
  std::optional<std::filesystem::path> file_;
  std::optional<OpenFolder> folder_;  // the folder of the file; none for a device
  bool is_in_place_ = false;
};

// Throws UsageError if the file cannot be written.
inline void require_writable(const std::filesystem::path& file) {
  ReportOutput{file};
}

// Returns whether the file is a device or pipe, which is written in place, never renamed or replaced.
bool is_written_in_place(const std::filesystem::path& file);

// Writes a text to stdout. If it does not fit the terminal, pipes it through $GPULAB_PAGER, $PAGER or less.
void print(const std::string& text);

// Turns the pager off, for --no-pager.
void forbid_pager();

}  // namespace gpulab
