#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
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
#include "teach/demo_folder.hpp"

namespace gpulab::cli {

// Demo in progress: its step, the class's votes, and what the runs have shown. It knows no terminal.
class DemoStage {
 public:
  // Plays the demo of a lesson or, with an exercise, the demo of that exercise's mistakes. Throws UsageError
  // for a step that can be neither shown nor run, before a class sees it.
  DemoStage(Lesson lesson, std::optional<Exercise> mistakes_of, teach::Demo demo, const DeviceOptions& device,
            const std::optional<std::filesystem::path>& folder);

  const teach::Demo& demo() const { return demo_; }
  std::size_t step() const { return step_; }
  bool is_revealed() const { return state().is_revealed; }
  const teach::DemoReveal* reveal() const;
  // Returns what the screen shows; valid until something changes.
  teach::DemoScene scene() const;

  // Goes to the next or the previous step; returns false at either end. run() turns a question into its
  // answer, and go_back() returns from the answer to the question.
  bool go_on();
  bool go_back();
  void go_to(std::size_t step);
  bool has_to_run() const { return !is_revealed() && runs_something(); }
  bool runs_something() const;

  // Runs the step, or takes the result of an earlier run, and reveals the answer. Throws what a run throws.
  void run(const std::function<void(const std::string&)>& progress, const std::function<bool()>& goes_on);
  void forget_run();
  // Returns whether a kernel's fault has taken the GPU from this process, so that nothing can be run.
  bool has_lost_the_device() const { return has_lost_the_device_; }

  // Counts a vote. If there is nothing to count, returns why; else empty.
  std::string vote(std::size_t choice);
  void take_votes_back();
  // Multiplies the size by 2^doublings. If that is impossible, changes nothing and returns why; else empty.
  std::string scale(int doublings);

  // Writes the shown kernel's file, as the step has it, into the demo's folder. Throws UsageError if the step
  // shows no kernel.
  std::filesystem::path file_to_edit();
  int line_to_edit() const;
  // Shows and runs the edited file until undo() or another step. Returns whether the file was changed. Throws
  // UsageError, and changes nothing, if the file is empty.
  bool take_edit();
  // Returns whether there was an edit to undo.
  bool undo();

  // Return the text of the shown kernel's file, and of the file that it is compared with; empty for none.
  std::string shown_text() const;
  std::string base_text() const;
  // Returns whether there is a text to compare with, and it differs.
  bool has_changes() const;
  // Returns the shown text as the class may see it: anonymised before the answer.
  std::string text_to_show() const;
  // Returns the shown kernel with all that it uses, as the class may see it, numbered as on the screen.
  std::vector<teach::DemoLine> whole_source() const;
  // Returns what a mistake's kernel should do; empty for others.
  std::string task() const { return mistakes_of_ ? teach::task_text(*mistakes_of_) : ""; }
  // Returns the shown text, and the text that it is compared with; before the answer, both without a name,
  // idea or comment that tells the answer.
  source::VariantSource shown() const;
  source::VariantSource base() const;

  teach::DemoFolder& folder() { return folder_; }

 private:
  struct StepState {
    std::vector<unsigned> votes;
    std::optional<teach::DemoReveal> reveal;
    bool is_revealed = false;
    std::string edited;            // text of the kernel's file, edited by hand; empty if it was not
    std::string edited_anonymous;  // the same without names and comments, as the user wrote it; or empty
    std::string edited_at;         // "14:03:21"
  };

  const teach::DemoStep& current() const { return demo_.steps[step_]; }
  StepState& state() { return states_[step_]; }
  const StepState& state() const { return states_[step_]; }
  // Returns the options of the step, as they are typed.
  const std::string& typed_options() const;
  // Returns whether an edit has put a mistake right. Then the base is the mistake, not the course's kernel.
  bool is_right_by_edit() const;
  run::RunOptions options() const;
  device::Device& device_of(const run::RunOptions& options);
  bool has_one_element() const;
  std::string file_name(const std::string& variant) const;
  // Returns the text of the variant's file as the lesson has it, without edits.
  std::string lessons_text(const std::string& variant) const;
  std::string edited_file() const { return mistakes_of_ ? mistakes_of_->file : file_name(current().shown); }
  // Returns the name of the variant's kernel or, in a demo of mistakes, of the exercise's kernel, whatever
  // the variant; empty if the whole file is shown.
  std::string kernel_of(const std::string& variant) const;
  std::string name_on_screen() const;
  bool is_anonymised() const;
  // Returns whether the kernel has its name and lines of the screen: also after the answer, if it was edited
  // before.
  bool shows_other_name() const { return is_anonymised() || !state().edited_anonymous.empty(); }
  bool shows_host() const;
  std::string file_text(const teach::DemoStep& step) const;
  void prepare_step();  // computes lines_, problem_ and text_is_for_

  Lesson lesson_;
  std::optional<Exercise> mistakes_of_;
  teach::Demo demo_;
  teach::DemoFolder folder_;
  teach::Recorded recorded_;
  device::CompileCache cache_;
  run::OpenedDevice device_;
  std::unique_ptr<device::Device> with_other_warps_;  // opened when a step asks for warps of another size
  std::size_t step_ = 0;
  int doublings_ = 0;  // how often each step's size is doubled; negative if it is halved
  bool has_lost_the_device_ = false;
  std::vector<StepState> states_;
  std::vector<teach::DemoLine> lines_;
  std::string problem_, text_is_for_;  // as in DemoScene
};

// Notes for the instructor, appended to a file that a second terminal follows.
class DemoNotes {
 public:
  // Writes nothing without a file. Throws UsageError for a file that cannot be written, and for the script.
  DemoNotes(const std::optional<std::filesystem::path>& file,
            const std::optional<std::filesystem::path>& script);

  // Appends the notes of a step. A write that fails does not stop a demo: finish() reports it.
  void add(const teach::Demo& demo, std::size_t step, const teach::DemoReveal* reveal,
           bool is_edited = false);

  // Throws UsageError if something could not be written.
  void finish() const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::filesystem::path file_;
  std::ofstream stream_;
  std::string problem_;
};

// Plays a demo on the terminal until the user quits. After a fault that takes a GPU away, starts the program
// again with the words as typed, at the next step.
ExitCode play_on_terminal(DemoStage& stage, DemoNotes& notes, const std::vector<std::string>& typed);

// Plays one step after the other, without keys. Returns wrong_result if a run gave an answer for which the
// demo has no reason.
ExitCode play_through(DemoStage& stage, DemoNotes& notes, const std::vector<std::string>& typed);

}  // namespace gpulab::cli
