#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/options.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/run_options.hpp"
#include "source/diff.hpp"
#include "teach/demo.hpp"

namespace gpulab::cli {

// Where the kernels that a demo changes are: a folder that somebody named, or a temporary one. Nothing is
// left of that one when it is gone or a signal ends the program, unless somebody has edited something there.
// Each step has a folder of its own in it, so that none meets the kernels of another. There is one at a time.
class DemoFolder {
 public:
  // Throws UsageError for a name that is empty.
  explicit DemoFolder(const std::optional<std::filesystem::path>& named);
  ~DemoFolder();
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;

  // Writes a file of a step, counted from 0, and returns where it is. What an earlier demo has left under
  // that name gets another one. Throws UsageError.
  std::filesystem::path put(std::size_t step, const std::string& name, const std::string& text);

  std::filesystem::path path_of(std::size_t step, const std::string& name) const;

  const std::filesystem::path& path() const { return path_; }
  void keep();
  bool is_kept() const { return is_kept_; }

 private:
  void make(const std::filesystem::path& folder);

  std::filesystem::path path_;
  bool is_kept_ = false;
  std::set<std::filesystem::path> written_;
};

// A demo as it is being played: at which step it is, what the class has voted, what the runs have shown. It
// knows no terminal.
class DemoStage {
 public:
  // The demo of a lesson or, with an exercise, its mistakes. Throws UsageError for a step that can be neither
  // shown nor run, so that no class finds out.
  DemoStage(Lesson lesson, std::optional<Exercise> mistakes_of, teach::Demo demo, const DeviceWords& device,
            const std::optional<std::filesystem::path>& folder);

  const teach::Demo& demo() const { return demo_; }
  std::size_t step() const { return step_; }
  bool is_revealed() const { return standing().is_revealed; }
  const teach::DemoReveal* reveal() const;
  // What is to be seen now; valid until something changes.
  teach::DemoScene scene() const;

  // One screen on or back; false at either end. A screen on from a question is its answer, if there is one to
  // be run for: run() comes first.
  bool go_on();
  bool go_back();
  void go_to(std::size_t step);
  bool has_to_run() const { return !is_revealed() && runs_something(); }
  bool runs_something() const;

  // Runs the step, or takes what an earlier run has shown. Throws what a run throws.
  void run(const std::function<void(const std::string&)>& progress, const std::function<bool()>& goes_on);
  void forget_run();
  // Nothing can be run any more: a kernel's fault has taken the GPU from this process.
  bool has_lost_the_device() const { return has_lost_the_device_; }

  void vote(std::size_t choice);
  void take_votes_back();
  // So many times twice as large; returns what is wrong with that, and then changes nothing.
  std::string scale(int doublings);

  // Writes the shown kernel's file, as the step has it, into the demo's folder. Throws UsageError where the
  // step shows none.
  std::filesystem::path file_to_edit();
  int line_to_edit() const;
  // What has been written there is shown and run from now on, until undo() or another step. Throws UsageError
  // where that is nothing, and then changes nothing.
  void take_edit();
  void undo();

  // The text of the shown kernel's file, and of the one that it is compared with; empty for none.
  std::string shown_text() const;
  std::string base_text() const;
  // The same with their names.
  source::VariantSource shown() const;
  source::VariantSource base() const;

  DemoFolder& folder() { return folder_; }

 private:
  struct Standing {
    std::vector<unsigned> votes;
    std::optional<teach::DemoReveal> reveal;
    bool is_revealed = false;
    std::string edited;     // by hand: the text of the kernel's file; empty where it was not
    std::string edited_at;  // "14:03:21"
  };

  const teach::DemoStep& current() const { return demo_.steps[step_]; }
  Standing& standing() { return standings_[step_]; }
  const Standing& standing() const { return standings_[step_]; }
  run::RunOptions options() const;
  bool is_of_size_one() const;
  std::string file_name(const std::string& variant) const;
  std::string edited_file() const { return mistakes_of_ ? mistakes_of_->file : file_name(current().shown); }
  std::string kernel_of(const std::string& variant) const;
  std::string file_text(const teach::DemoStep& step) const;
  void arrive();

  Lesson lesson_;
  std::optional<Exercise> mistakes_of_;
  teach::Demo demo_;
  DemoFolder folder_;
  teach::Recorded recorded_;
  device::CompileCache cache_;
  run::OpenedDevice device_;
  std::size_t step_ = 0;
  int doublings_ = 0;  // of the size that each step asks for
  bool has_lost_the_device_ = false;
  std::vector<Standing> standings_;
  std::vector<teach::DemoLine> lines_;
  std::string problem_;
};

// What there is to say, for a second terminal that follows the file. Nothing that stands there is lost.
class DemoNotes {
 public:
  // None without a file. Throws UsageError for what cannot be written, and for the script itself.
  DemoNotes(const std::optional<std::filesystem::path>& file,
            const std::optional<std::filesystem::path>& script);

  // What cannot be written does not stop a demo: finish() tells.
  void add(const teach::Demo& demo, std::size_t step, const teach::DemoReveal* reveal);

  // Throws UsageError if something could not be written.
  void finish() const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::filesystem::path file_;
  std::ofstream stream_;
  std::string problem_;
};

// Plays a demo on the terminal until somebody quits. The words are those that were typed: a fault that takes
// a GPU away makes the program start anew, at the next step.
ExitCode play_on_terminal(DemoStage& stage, DemoNotes& notes, const std::vector<std::string>& typed);

// One step after the other, with nobody to wait for: wrong_result if an answer came out that the demo has no
// reason for.
ExitCode play_through(DemoStage& stage, DemoNotes& notes, const std::vector<std::string>& typed);

}  // namespace gpulab::cli
