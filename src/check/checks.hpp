#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "device/device.hpp"
#include "lesson/exercise.hpp"
#include "lesson/finding.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/run_options.hpp"
#include "sandbox/sandbox.hpp"
#include "source/code.hpp"

namespace gpulab::check {

// A line, which is counted from 1, without its indentation; empty when there is none of that number.
std::string line_of(const std::string& text, int number);

// The column in which the text of that line begins, counted in bytes from 1; 1 when there is no such line.
int column_of(const std::string& text, int number);

// The pattern of a defect: "race-shared", "out-of-bounds-write".
std::string pattern_of(const Defect& defect);

// Where a loop of a kernel file stands: from the line of its for, while or do to the one that it ends in.
struct SourceLoop {
  int first = 0, last = 0;

  bool has(int line) const { return first <= line && line <= last; }
};

// The smallest loop that all of these lines, which are counted from 1, are in.
std::optional<SourceLoop> innermost_loop(const source::Code& code, const std::vector<int>& lines);

// What the lines of a kernel file add to a race that was seen in them.
struct RaceInSource {
  std::string pattern;  // "race-shared-update"; empty when they add nothing
  std::string remark;   // goes on with the sentence about the race; may be empty
};

RaceInSource race_in_source(const Defect& race, const source::Code& code);

// What a learner's kernel is tried with: first the settings at which most mistakes show, then edge sizes and
// the lesson's other choices.
std::vector<Settings> check_settings(const Lesson& lesson, unsigned block_size);

// The work that a kernel has to do there when it is checked, in accesses to memory and operations: of every
// thread that is launched, whole blocks and tiles of them.
double work_of(const Lesson& lesson, const Settings& settings, unsigned block_size);

// About half a second of a slow machine: settings are drawn until a kernel has had so much work, and one
// setting has a part of it at most. A part is kept for a few that are as large as can be. It is work, not
// time, so that every machine judges alike.
constexpr double work_to_draw = 13e6, work_for_the_largest = 6e6, largest_part_of_work = 0.18;

// A seed that is always the same for the same text.
std::uint64_t seed_of(const std::string& text);

// A number that the settings have: "size", or one of the lesson's counts.
struct SizeOrCount {
  std::string name;
  std::uint64_t min = 1, max = 0;

  std::uint64_t of(const Settings& settings) const;
  void set(Settings& settings, std::uint64_t value) const;
};

std::vector<SizeOrCount> sizes_and_counts(const Lesson& lesson);

// Settings at random, after those of check_settings: values around the constants in the learner's text, the
// course's kernel and the block, values of any magnitude, and options that are equal to each other. The same
// text and seed make the same settings.
class DrawnSettings {
 public:
  DrawnSettings(const Lesson& lesson, unsigned block_size, const std::string& text, std::uint64_t seed);

  // Another one; none when there is no work left, or nothing that is new.
  std::optional<Settings> next();

 private:
  std::uint64_t random(std::uint64_t below);
  std::uint64_t count(std::uint64_t min, std::uint64_t max, const std::vector<std::uint64_t>& others);
  bool add(const Settings& settings, double& work_left);
  void add_largest(const std::set<std::uint64_t>& own);
  Settings alone(const SizeOrCount& one, std::uint64_t value, std::uint64_t few) const;
  void add_past_16_bits();
  void add_corners();
  void add_stated();
  Settings draw();
  bool is_new(const Settings& settings) const;

  const Lesson& lesson_;
  const unsigned block_size_;
  const std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  double work_left_ = work_to_draw - work_for_the_largest;
  std::size_t next_value_ = 0, next_ = 0;  // of values_, of drawn_
  std::vector<std::uint64_t> values_;
  std::vector<Settings> fixed_, drawn_;
};

// Settings that differ from these in one thing, which is as usual or as small as can be.
std::vector<Settings> simpler_settings(const Lesson& lesson, const Settings& settings);

// Settings that tell where else a kernel is wrong that is wrong at these: the fixed ones, whole blocks and
// tiles, as high as wide, other inputs.
std::vector<Settings> settings_around(const Lesson& lesson, unsigned block_size, const Settings& settings);

struct TriedSettings {
  Settings settings;
  bool right = false;
};

// A kernel that is right up to a size and wrong from another on.
struct SizeLimit {
  std::size_t last_right = 0, first_wrong = 0;
};

// None when it is not so.
std::optional<SizeLimit> size_limit(const std::vector<TriedSettings>& tried);

// The first line of a learner's text, counted from 1, in which the number may stand for the size; 0 when
// there is none. A number that the starter or the course's kernel has, too, is none, nor is one to divide by.
int line_with_limit(const Lesson& lesson, const std::string& text, std::uint64_t number);

// Whether the lesson has a problem for these settings.
bool is_taken(const Lesson& lesson, const Settings& settings);

// What tells the settings at which a kernel is right from those at which it is wrong: "right where size is a
// multiple of 256, wrong elsewhere". Empty when nothing does, or too little was tried.
std::string where_right(const Lesson& lesson, unsigned block_size, const std::vector<TriedSettings>& tried);

// How to come to these settings from the first that a kernel is tried with, and what is unusual in them.
TriedWith tried_with(const Lesson& lesson, unsigned block_size, const Settings& settings);

// What somebody wants a kernel to be tried with.
struct Trial {
  std::optional<Settings> settings = {};    // all that it is checked with, when absent
  std::optional<unsigned> block_size = {};  // the solution's, when absent
  std::optional<std::uint64_t> seed = {};   // to draw settings with; made from the file's text, when absent

  // Then a kernel may pass that would fail otherwise.
  bool is_limited() const { return settings || block_size; }
};

// Runs a learner's kernel in place of the lesson's solution, watched, and in three orders of its threads,
// until it does something wrong. Fills in everything that depends on a run. Throws UsageError for a trial
// that the lesson cannot take.
void check_on_simulator(const Lesson& lesson, const device::KernelSource& source, device::Device& simulator,
                        const Trial& trial, CheckResult& result);

struct ProgramCheckOptions {
  double time_limit_s = 60;
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  Trial trial = {};
  StopRequest stop = {};
};

// Compiles a learner's program and runs it, watched and in a confined process, at the sizes of its task and
// at one that is made from its text, until something is wrong. Throws WorkStopped, and Error when this
// machine cannot run it.
CheckResult check_program(const Exercise& exercise, const device::KernelSource& source,
                          const ProgramCheckOptions& options);

// Where there is a GPU: the learner's kernel in place of the lesson's solution, then the lesson's own
// variants that are right, each checked and timed, in a process of their own. Empty without a GPU. Throws
// WorkStopped.
std::vector<VariantResult> time_on_gpu(const Lesson& lesson, const device::KernelSource& source,
                                       double time_limit_s, const StopRequest& stop);

// Has NVRTC, where there is one, compile a learner's file for this machine's GPU or, without one, for the
// oldest that has all that the simulator has. Fills in what NVRTC refuses, and nothing otherwise. Confines
// this process, which must be one of its own.
void check_by_nvrtc(const device::KernelSource& source, sandbox::Mode mode, CheckResult& result);

// Fills in what a compiler refused.
void judge_compile_error(const CompileError& error, const device::KernelSource& source, CheckResult& result);

// Fills in where the places of a result are: the columns that a compiler tells, or where the text of the line
// begins, and what else a compiler says of the file.
void find_places(const device::KernelSource& source, CheckResult& result);

// A check's result as bytes that a child process hands to its parent, and back. Throws std::runtime_error for
// bytes that are not all there.
std::string packed(const CheckResult& result);
CheckResult unpacked(const std::string& bytes);

// The same of what a GPU made of some variants: names, outcomes, explanations and median times.
std::string packed(const std::vector<VariantResult>& variants);
std::vector<VariantResult> unpacked_variants(const std::string& bytes);

struct CheckOptions {
  double time_limit_s = 60;  // for everything that is run of one file
  bool with_gpu = true;      // where there is one, and kernels need not be confined: a GPU cannot do that
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  Trial trial = {};
  StopRequest stop = {};
};

using sandbox::mode_of;  // of what the command line says

// Compiles a learner's file, by NVRTC, too, where there is one, runs its kernel in a confined process at the
// lesson's edge sizes and on three schedules of the simulator, and on a GPU where there is one, and judges
// it. Whatever the kernel does wrong is in the result. Throws UsageError when the file cannot be read or the
// lesson cannot take what it is to be tried with, Error when this machine cannot check anything, and
// WorkStopped.
CheckResult check_exercise(const Exercise& exercise, const std::filesystem::path& file,
                           const CheckOptions& options);

// The same of a file that has been read.
CheckResult check_exercise(const Exercise& exercise, const device::KernelSource& source,
                           const CheckOptions& options);

// What a learner's kernel, in place of the lesson's solution, asks of memory. It runs in a confined process.
// Throws UsageError for options that the lesson cannot take, and Error when the kernel takes too long, or
// ends its process.
Inspection inspect_file(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource& learners);

}  // namespace gpulab::check
