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

// GPU to predict times on, unless --gpu names another: the course's figures are of an H200.
inline constexpr const char* default_gpu = "h200";

// Command line of one lesson, as it was typed.
struct LessonOptions {
  std::optional<std::string> size, block_size, architectures;
  DeviceOptions device;
  std::string gpu = default_gpu;
  std::string format;  // empty where a lesson's own command has no --format
  std::optional<std::filesystem::path> output;
  bool quiet = false, verbose = false;
  bool strict_claims = false;
  bool watch = false;
  std::map<std::string, std::string> own;      // the lesson's own options, as typed
  std::optional<std::filesystem::path> trace;  // where the lesson shows a timeline
  run::RunOptions run;
};

// Options that only one lesson has.

// Returns "its sizes are --m, --n, --k" for a lesson without --size; empty if it has no numbers.
std::string sizes_of(const Lesson& lesson);

// Adds the option to the lesson's command; its value goes to options.own.
void add_own_option(CLI::App& command, const Option& option, LessonOptions& options);

// Adds every lesson's own options, except output files. Values go to `own`, which must outlive the parsing.
void add_options_of_lessons(CLI::App& command, std::map<std::string, std::string>& own);

// Returns the value of every option of the lesson, typed or default. Throws UsageError for a wrong value.
std::map<std::string, OptionValue> own_option_values(const Lesson& lesson,
                                                     const std::map<std::string, std::string>& typed);

// Adds the options that choose what of the lesson runs: its size, its own options, the variants.
void add_run_options(CLI::App& command, const Lesson& lesson, LessonOptions& options);

// Adds --gpu, which chooses the GPU to predict times on.
void add_gpu_option(CLI::App& command, std::string& gpu);

// Adds the options that every lesson has, and the lesson's own, to its command.
void add_lesson_options(CLI::App& command, const Lesson& lesson, LessonOptions& options);

// Returns the run that the options ask for. Throws UsageError for what the lesson cannot do.
run::RunOptions run_options(const Lesson& lesson, const LessonOptions& options);

// Returns a run for each size that --size lists, or one for the lesson's default size.
std::vector<run::RunOptions> run_options_of_sizes(const Lesson& lesson, const LessonOptions& options);

// Options of check that try a kernel with certain settings alone.
struct TrialOptions {
  std::optional<std::string> size, block_size, inputs;
  std::optional<std::uint64_t> seed;
  std::map<std::string, std::string> own;  // the lesson's own options, as typed
};

// Adds these options, and every option that only some lessons have, to the command.
void add_trial_options(CLI::App& command, TrialOptions& options);

// Returns the trial that the options ask for. Settings that are not given are those of a check's first run.
// Throws UsageError, in one sentence, for what the lesson does not take.
check::Trial trial_of(const Exercise& exercise, const TrialOptions& options);

// Files that a run writes besides the report: those of the lesson's own options, and the timelines.
class LessonFiles {
 public:
  // Throws UsageError for a file that cannot be written, for two options that name the same file, and for a
  // file that would show one of several sizes only.
  LessonFiles(const Lesson& lesson, const Settings& settings, const LessonOptions& options,
              bool has_several_sizes);

  void write(const LessonResult& result, Narrator& narrator);

 private:
  const LessonOptions& options_;
  std::map<std::string, std::filesystem::path> named_;  // paths, by the lesson's option
  std::map<std::string, ReportOutput> artifacts_;       // the files at these paths, by the option
  ReportOutput trace_;
};

// Says that the file was written, unless it is a device or a pipe.
void mention(const std::filesystem::path& written, Narrator& narrator);

// Parts that the commands inspect and show --annotate share.

// Output of an inspection, and its exit code.
struct InspectionReport {
  ExitCode exit_code = ExitCode::ok;
  std::string failures;  // for stderr
  std::string text;      // for stdout
};

InspectionReport report_of(const Inspection& inspection, std::string text);

// Inspects the variants that the options choose, and shows progress on a terminal.
Inspection inspect_on_simulator(const Lesson& lesson, run::RunOptions options);

// Prints the report, and returns its exit code.
ExitCode finish(const InspectionReport& report, bool is_json);

}  // namespace gpulab::cli
