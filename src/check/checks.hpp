#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "device/device.hpp"
#include "device/instruments.hpp"
#include "lesson/exercise.hpp"
#include "lesson/finding.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/run_options.hpp"
#include "sandbox/sandbox.hpp"
#include "source/code.hpp"

namespace gpulab::run {
class DeviceArrays;
struct WatchedRun;
}  // namespace gpulab::run

namespace gpulab::check {

// Returns a line, counted from 1, without its indentation; empty if there is none of that number.
std::string line_of(const std::string& text, int number);

// Returns the column, in bytes from 1, in which the text of that line begins; 1 if there is no such line.
int column_of(const std::string& text, int number);

// Returns the pattern of a defect: "race-shared", "out-of-bounds-write".
std::string pattern_of(const Defect& defect);
// A compiler's refusal. The text says what to write; empty if the compiler's own words are all that is known.
struct RefusalInSource {
  std::string pattern, text;
  int line = 0;
};

RefusalInSource refusal_in_source(const Failure& failure, const source::Code& code);

// Returns the text of a kernel's file with blanks in place of the host's part of a program: main(), launches,
// what only they use, and headers that no kernel can use. Adds a note of it if there is one.
std::string without_host_code(const std::string& text, std::vector<std::string>& notes);

// Makes a line of the text the cause of what was found.
void blame(const CheckPlace& cause, const source::Code& code, CheckResult& result);

// Blames a slip of the pen in the text of a kernel that is wrong, such as an if that ends at its semicolon,
// for what was found. Returns whether there is a slip.
bool blame_slip(const source::Code& code, CheckResult& result);

// Blames any cause that the text shows, a slip too: an unset variable, an array without __shared__, a loop
// that does not end. `wrong` explains a result that is wrong without a defect; null for anything else.
// Returns whether the text shows a cause.
bool blame_cause(const Lesson& lesson, const source::Code& code, const Explanation* wrong,
                 CheckResult& result);

// Names a shift by warpSize, to make a mask, in a lesson that is about warps of 32 and of 64 lanes: the cause
// of a wrong mask, and a defect of a kernel that is right.
void name_shift_by_warp_size(const Lesson& lesson, const source::Code& code, CheckResult& result);

// Returns "'sum' is never set before line 7 adds to it" if that is certain for a variable; empty if there is
// none.
std::string unset_variable_in(const source::Code& code);

// Remark on a race, from the lines of the kernel file in which it was seen.
struct RaceInSource {
  std::string pattern;  // "race-shared-update"; empty when the lines add nothing
  std::string remark;   // continues the sentence about the race; may be empty
};

RaceInSource race_in_source(const Defect& race, const source::Code& code);

// Returns settings to try a learner's kernel with: first those at which most mistakes show, then edge sizes
// and the lesson's other choices.
std::vector<Settings> check_settings(const Lesson& lesson, unsigned block_size);

// Returns the work of a kernel that is checked at these settings, in memory accesses and operations of every
// thread that is launched, in whole blocks and tiles.
double work_of(const Lesson& lesson, const Settings& settings, unsigned block_size);

// Work of all drawn settings together, about half a second on a slow machine. It is work, not time, so that
// every machine judges alike.
constexpr double work_to_draw = 13e6;
constexpr double work_for_the_largest = 6e6;   // of that, for a few settings that are as large as can be
constexpr double largest_part_of_work = 0.18;  // that one setting may take

// Returns the largest number, at most `most`, that is a whole number in the text, or a product or shift of
// two; 0 if there is none.
std::uint64_t largest_number_in(const std::string& text, std::uint64_t most);

// Returns how many accesses a launch may make, which only redundant work exceeds, such as every thread doing
// the work of all. A check tries dozens of settings, so a launch may take only a part of a second.
std::size_t max_accesses(const Lesson& lesson, const Settings& settings, unsigned block_size);
constexpr std::size_t always_allowed_accesses = 1'500'000;

// Returns the same for settings that the user has given.
std::size_t max_accesses(const Traffic& traffic);

// Work that a check has done with a kernel. It is counted in steps, so that every machine judges alike; only
// a kernel whose loops access no memory is measured by the CPU's clock.
class SpentWork {
 public:
  // Returns whether settings are still tried in all orders of threads.
  bool leaves_room_for_all_orders() const;

  // Returns whether settings with that work, as work_of() has it, are tried at all. A slow kernel's work may
  // grow as the square of that work.
  bool leaves_room_for(double work) const;

  // Returns the seconds that a usual machine takes for it.
  double seconds() const { return spent_s_; }

  // Adds a launch at settings with that work.
  void add(const device::LaunchWork& done, double work);

 private:
  double spent_s_ = 0;
  double slowest_s_ = 0, slowest_work_ = 0;  // of the launch with the most time for its work
  bool is_growing_ = false;                  // whether its time grows faster than the work that is expected
};

// Returns a seed that is always the same for the same text.
std::uint64_t seed_of(const std::string& text);

// Number in the settings: "size", or one of the lesson's counts.
struct SizeOrCount {
  std::string name;
  std::uint64_t min = 1, max = 0;

  std::uint64_t of(const Settings& settings) const;
  void set(Settings& settings, std::uint64_t value) const;
};

std::vector<SizeOrCount> sizes_and_counts(const Lesson& lesson);

// Random settings, to be tried after those of check_settings: values around the constants in the learner's
// text, the course's kernel and the block, values of any magnitude, and options that are equal to each other.
// The same text and seed make the same settings.
class DrawnSettings {
 public:
  DrawnSettings(const Lesson& lesson, unsigned block_size, const std::string& text, std::uint64_t seed);

  // Returns other settings; none when no work is left, or there is nothing new.
  std::optional<Settings> next();

 private:
  std::uint64_t random(std::uint64_t below);
  std::uint64_t count(std::uint64_t min, std::uint64_t max, const std::vector<std::uint64_t>& others);
  bool add(const Settings& settings, double& work_left);
  void add_largest(const std::set<std::uint64_t>& own);
  Settings alone(const SizeOrCount& one, std::uint64_t value, std::uint64_t few) const;
  void add_past_16_bits();
  void add_corners();
  void add_sizes_of_lesson();
  void add_past_numbers_of_text(const std::string& text, const std::set<std::uint64_t>& own);
  Settings draw();
  bool is_new(const Settings& settings) const;

  const Lesson& lesson_;
  const unsigned block_size_;
  const std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  double work_left_ = work_to_draw - work_for_the_largest;
  std::size_t next_value_ = 0, next_drawn_ = 0;  // indices into values_ and drawn_
  std::vector<std::uint64_t> values_;
  std::vector<Settings> fixed_, drawn_;
};

// Returns settings that differ from these in one value, which is the default or the smallest.
std::vector<Settings> simpler_settings(const Lesson& lesson, const Settings& settings);

// Returns nearby settings, to see where else a kernel is wrong: the fixed ones, whole blocks and tiles, as
// high as wide, other inputs.
std::vector<Settings> settings_around(const Lesson& lesson, unsigned block_size, const Settings& settings);

struct TriedSettings {
  Settings settings;
  bool right = false;
};

// Sizes between which a kernel goes from right to wrong.
struct SizeLimit {
  std::size_t last_right = 0, first_wrong = 0;
};

// Returns the limit, if the kernel has one.
std::optional<SizeLimit> size_limit(const std::vector<TriedSettings>& tried);

// Returns the first line of a learner's text, counted from 1, in which the number may stand for the size; 0
// if there is none. Ignores numbers of the starter or the course's kernel, and divisors.
int line_with_limit(const Lesson& lesson, const std::string& text, std::uint64_t number);

// Returns whether the text has a for or a while.
bool has_loop(const std::string& text);

// Cause that fits a limit: what follows "right up to size 32 768, wrong beyond".
struct LimitCause {
  std::string text = {};  // ": consistent with ..."; empty if none fits
  int line = 0;           // line in the text that has it; 0 if unknown
  std::string pattern = "type-limit";
};

LimitCause cause_of_limit(const Lesson& lesson, const std::string& text, std::size_t last_right,
                          unsigned block_size);

// Returns the same for a limit between two sizes whose blocks were all run; none if nothing fits.
std::optional<LimitCause> cause_of_small_limit(const Lesson& lesson, const std::string& text,
                                               const SizeLimit& limit, unsigned block_size);

// Blames a number in the text if the kernel never uses its last parameter, the size, and what was found fits
// that number. Returns whether it blames one.
bool blame_constant_for_size(const Lesson& lesson, const source::Code& code, CheckResult& result);

// Returns whether the lesson has a problem for these settings.
bool accepts(const Lesson& lesson, const Settings& settings);

// Returns what separates the settings at which a kernel is right from the others: "right where size is a
// multiple of 256, wrong elsewhere". Empty if nothing does, or too little was tried.
std::string where_right(const Lesson& lesson, unsigned block_size, const std::vector<TriedSettings>& tried);

// Returns how these settings differ from the first that a kernel is tried with, and what is unusual in them.
TriedWith tried_with(const Lesson& lesson, unsigned block_size, const Settings& settings);

// Settings that a user wants a kernel to be tried with.
struct Trial {
  std::optional<Settings> settings = {};    // if absent, all that it is checked with
  std::optional<unsigned> block_size = {};  // if absent, the solution's
  std::optional<std::uint64_t> seed = {};   // to draw settings with; if absent, made from the file's text

  // Returns whether a kernel may pass that would fail otherwise.
  bool is_limited() const { return settings || block_size; }
};

// Pattern of a result that is the value of a variable that nobody has set.
constexpr const char* unset_variable = "unset-variable";

// Fills in what is wrong, from a watched run of a kernel with that text: the defects or, without one, the
// result. The run must not be right.
void judge_run(const run::WatchedRun& watched, const run::DeviceArrays& arrays, const std::string& text,
               CheckResult& result);

// Returns whether a report says only that something is wrong, or that memory ended: not why.
// `is_result_wrong` says that it is about a wrong result.
bool leaves_cause_open(const CheckResult& result, bool is_result_wrong);

// Fills in what is wrong with a result.
void judge_wrong_result(const Explanation& wrong, CheckResult& result);

// Says why a launch is wrong though the first one, with its threads in order, was right: that launch was
// repeated, and was right again or was not.
void judge_later_launch(bool is_first_right_again, CheckResult& result);

// Returns the explanation of `wrong`, first or among its others, whose cause fits most of the wrong results;
// the fact alone if no cause fits at least two of them, and at least half.
Explanation best_fitting(const Explanation& wrong, const std::vector<Explanation>& all_wrong);

// Runs a learner's kernel in place of the lesson's solution, watched, on three schedules of its threads,
// until it does something wrong. Fills in everything that depends on a run. Throws UsageError for a trial
// that the lesson cannot take.
void check_on_simulator(const Lesson& lesson, const device::KernelSource& source, device::Device& simulator,
                        const Trial& trial, CheckResult& result);

struct ProgramCheckOptions {
  double time_limit_s = 60;  // CPU time for one run
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  Trial trial = {};
  StopToken stop = {};
  WarpSize warp_size = {};
};

// Compiles a learner's program and runs it, watched and in a confined process, at the sizes of its task and
// at one that is made from its text, until something is wrong. Throws WorkStopped, and Error when this
// machine cannot run it.
CheckResult check_program(const Exercise& exercise, const device::KernelSource& source,
                          const ProgramCheckOptions& options);

// Checks and times on a GPU the learner's kernel in place of the lesson's solution, then the lesson's own
// variants that are right, in another process. Returns nothing without a GPU. Throws WorkStopped.
std::vector<VariantResult> time_on_gpu(const Lesson& lesson, const device::KernelSource& source,
                                       double time_limit_s, const StopToken& stop);

// Has NVRTC, if there is one, compile a learner's file for this machine's GPU or, without one, for the oldest
// architecture that has all that the simulator has. Fills in what NVRTC refuses, and nothing otherwise.
// Confines this process, which must be a child for this alone.
void check_by_nvrtc(const device::KernelSource& source, sandbox::Mode mode, CheckResult& result);

// Fills in what a compiler refused.
void judge_compile_error(const CompileError& error, const device::KernelSource& source, CheckResult& result);

// Fills in the columns of a result's places: those that a compiler tells, or where the text of the line
// begins. Adds the compiler's further messages about the file.
void find_places(const device::KernelSource& source, CheckResult& result);

// Packs a check's result into bytes for a parent process; unpacking throws std::runtime_error for bytes that
// are not all there.
std::string packed(const CheckResult& result);
CheckResult unpacked(const std::string& bytes);

// Does the same for results of variants on a GPU: names, outcomes, explanations and median times.
std::string packed(const std::vector<VariantResult>& variants);
std::vector<VariantResult> unpacked_variants(const std::string& bytes);

struct CheckOptions {
  double time_limit_s = 60;  // CPU time for all runs of one file
  bool with_gpu = true;      // if there is one and kernels need not be confined, as they cannot be there
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  Trial trial = {};
  StopToken stop = {};
  WarpSize warp_size = {};
  // GPU for which the times of a right kernel are predicted where no GPU measures them; none: no prediction.
  std::optional<estimate::Gpu> gpu = {};
};

using sandbox::mode_of;  // maps the words of the command line

// Compiles a learner's file, also with NVRTC if there is one, runs its kernel in a confined process at the
// lesson's edge sizes and on three schedules of the simulator, and on a GPU if there is one, and judges it.
// Whatever the kernel does wrong is in the result. Throws UsageError when the file cannot be read or the
// lesson cannot take the settings of the trial, Error when this machine cannot check anything, and
// WorkStopped.
CheckResult check_exercise(const Exercise& exercise, const std::filesystem::path& file,
                           const CheckOptions& options);

// Does the same for a file that has been read.
CheckResult check_exercise(const Exercise& exercise, const device::KernelSource& source,
                           const CheckOptions& options);

// Counts what a learner's kernel, in place of the lesson's solution, asks of memory. Runs it in a confined
// process. Throws UsageError for options that the lesson cannot take, and Error when the kernel takes too
// long, or ends its process.
Inspection inspect_file(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource& learners);
// Predicts its time on the GPU of the options, in the same way.
LessonResult estimate_file(const Lesson& lesson, const run::RunOptions& options,
                           const device::KernelSource& learners);
// Adds the times that this machine's GPU takes for the predicted variants, in another process; none without a
// GPU. `learners` is as above, or null.
void add_measured_times(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource* learners, LessonResult& result);

}  // namespace gpulab::check
