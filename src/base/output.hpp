#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/files.hpp"

namespace gpulab {

// Whether somebody is there to be asked.
bool can_ask();

// Asks on stderr, and reads a line from stdin; whether it begins with a y.
bool says_yes(const std::string& question);

// Writes to stderr, and does not mind when that is closed or full.
void tell(const std::string& text);

// Lines on stderr about what is going on. Progress is shown on a terminal only, and wiped when it is over.
class Narrator {
 public:
  explicit Narrator(bool quiet);
  ~Narrator();
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;

  void remark(const std::string& line);
  void progress(const std::string& what);
  // Takes the progress away, before something else is printed.
  void wipe();

 private:
  bool quiet_;
  bool shows_progress_;
  bool is_dirty_ = false;
};

// How long something may still take: "40 s", "3 min".
std::string rough_time(double seconds);

// Where a report goes: stdout, or a file that appears only when it is whole.
class ReportOutput {
 public:
  // Throws UsageError at once when the file cannot be written, rather than after a long run. Touches nothing
  // yet. Links are followed now, and none that code has made which runs in between.
  explicit ReportOutput(const std::optional<std::filesystem::path>& file);

  bool is_file() const { return file_.has_value(); }
  void write(const std::string& text);
  // The same for a person to read: on stdout like print().
  void show(const std::string& text);

 private:
  std::optional<std::filesystem::path> file_;
  std::optional<OpenFolder> folder_;  // that it is in; none for a device
  bool is_in_place_ = false;
};

// Whether the file is a device or a pipe: such are written in place, never renamed or replaced.
bool is_written_in_place(const std::filesystem::path& file);

// Writes a text to stdout. On a terminal that it does not fit, it goes through $GPULAB_PAGER, $PAGER or less.
void print(const std::string& text);

// From now on nothing goes through a pager, as --no-pager asks.
void forbid_pager();

}  // namespace gpulab
