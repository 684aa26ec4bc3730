#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/output.hpp"
#include "check/checks.hpp"
#include "cli/options.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/devices.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {

// One lesson's command line, as it was typed.
struct LessonWords {
  std::optional<std::string> size, block_size;
  DeviceWords device;
  std::string format;  // of a lesson's own command: empty where --format was not given
  std::optional<std::filesystem::path> output;
  bool quiet = false;
  bool strict_claims = false;
  bool watch = false;
  std::map<std::string, std::string> own;      // the lesson's own options, as typed
  std::optional<std::filesystem::path> trace;  // where the lesson shows a timeline
  run::RunOptions run;
};

// The options that only one lesson has.

// Puts the option into the lesson's command; what is typed goes to words.own.
void add_own_option(CLI::App& command, const Option& option, LessonWords& words);

// The value of every option of the lesson, as typed or the default. Throws UsageError, in one sentence, for
// what the option cannot be.
std::map<std::string, OptionValue> own_option_values(const Lesson& lesson,
                                                     const std::map<std::string, std::string>& typed);

// Puts the options that say what of the lesson runs into a command: its size, its own options, the variants.
void add_what_runs(CLI::App& command, const Lesson& lesson, LessonWords& words);

// Puts the options of every lesson, and the lesson's own, into its command.
void add_lesson_options(CLI::App& command, const Lesson& lesson, LessonWords& words);

// What the words ask for. Throws UsageError, in one sentence, for what the lesson cannot do.
run::RunOptions run_options(const Lesson& lesson, const LessonWords& words);

// The same for each of the sizes that --size lists, or for the one that the lesson has.
std::vector<run::RunOptions> run_options_of_sizes(const Lesson& lesson, const LessonWords& words);

// The options of check that try a kernel with certain settings alone.

struct TrialWords {
  std::optional<std::string> size, block_size, inputs;
  std::optional<std::uint64_t> seed;
  std::map<std::string, std::string> own;  // the lesson's own options, as typed
};

// Puts them into the command, and every option that only some lessons have.
void add_trial_options(CLI::App& command, TrialWords& words);

// What the words ask for: what is not said is as in the first settings that the kernel is checked with.
// Throws UsageError, in one sentence, for what the lesson does not take.
check::Trial trial_of(const Exercise& exercise, const TrialWords& words);

// The files besides the report that a run writes: those of the lesson's own options, and the timelines.
class LessonFiles {
 public:
  // Throws UsageError for a file that cannot be written, for two options that name the same file, and for a
  // file that would show one of several sizes only.
  LessonFiles(const Lesson& lesson, const Settings& settings, const LessonWords& words,
              bool has_several_sizes);

  void write(const LessonResult& result, Narrator& narrator);

 private:
  const LessonWords& words_;
  std::map<std::string, std::filesystem::path> named_;  // by the lesson's option
  std::map<std::string, ReportOutput> artifacts_;       // the same
  ReportOutput trace_;
};

// Says that the file is there.
void mention(const std::filesystem::path& written, Narrator& narrator);

// The files before and after "--".
struct Sides {
  std::vector<std::filesystem::path> before, now;
};

// Behind "--" everything is a file. The parser takes that word away, so it is looked for among those that
// were typed. Without it there is nothing on the side of now. Throws UsageError, which ends with the form,
// for an empty side, a second "--", and options behind it.
Sides sides_of(const std::vector<std::filesystem::path>& files, const std::vector<std::string>& typed,
               const std::string& form);

// What the commands inspect and show --annotate have in common.

// What is printed of an inspection, and what the process ends with.
struct InspectionReport {
  ExitCode exit_code = ExitCode::ok;
  std::string failures;  // for stderr
  std::string text;      // for stdout
};

InspectionReport report_of(const Inspection& inspection, std::string text);

// Inspects the variants that the options choose, and shows on a terminal how far it is.
Inspection inspect_on_simulator(const Lesson& lesson, run::RunOptions options);

// Prints the report, and returns its exit code.
ExitCode finish(const InspectionReport& report, bool is_json);

}  // namespace gpulab::cli
