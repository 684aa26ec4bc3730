#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/demo_folder.hpp"
#include "cli/options.hpp"
#include "core/demo.hpp"
#include "core/exercise.hpp"
#include "core/lesson.hpp"
#include "demo/recorded.hpp"
#include "report/diff.hpp"
#include "run/devices.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {

// A demo as it is being played: at which step it is, what the class has voted, what the runs have shown. It
// knows no terminal.
class DemoStage {
 public:
  // The demo of a lesson or, with an exercise, its mistakes. Throws UsageError for a step that can be neither
  // shown nor run, so that no class finds out.
  DemoStage(Lesson lesson, std::optional<Exercise> mistakes_of, Demo demo, const DeviceWords& device,
            const std::optional<std::filesystem::path>& folder);

  const Demo& demo() const { return demo_; }
  std::size_t step() const { return step_; }
  bool is_revealed() const { return standing().is_revealed; }
  const DemoReveal* reveal() const;
  // What is to be seen now; valid until something changes.
  DemoScene scene() const;

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
  report::VariantSource shown() const;
  report::VariantSource base() const;

  DemoFolder& folder() { return folder_; }

 private:
  struct Standing {
    std::vector<unsigned> votes;
    std::optional<DemoReveal> reveal;
    bool is_revealed = false;
    std::string edited;     // by hand: the text of the kernel's file; empty where it was not
    std::string edited_at;  // "14:03:21"
  };

  const DemoStep& current() const { return demo_.steps[step_]; }
  Standing& standing() { return standings_[step_]; }
  const Standing& standing() const { return standings_[step_]; }
  run::RunOptions options() const;
  bool is_of_size_one() const;
  std::string file_name(const std::string& variant) const;
  std::string edited_file() const { return mistakes_of_ ? mistakes_of_->file : file_name(current().shown); }
  std::string kernel_of(const std::string& variant) const;
  std::string file_text(const DemoStep& step) const;
  void arrive();

  Lesson lesson_;
  std::optional<Exercise> mistakes_of_;
  Demo demo_;
  DemoFolder folder_;
  demo::Recorded recorded_;
  device::CompileCache cache_;
  run::OpenedDevice device_;
  std::size_t step_ = 0;
  int doublings_ = 0;  // of the size that each step asks for
  bool has_lost_the_device_ = false;
  std::vector<Standing> standings_;
  std::vector<DemoLine> lines_;
  std::string problem_;
};

}  // namespace gpulab::cli
