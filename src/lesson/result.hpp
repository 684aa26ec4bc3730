#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lesson/access_counts.hpp"
#include "lesson/estimate.hpp"
#include "lesson/finding.hpp"
#include "lesson/launch.hpp"
#include "lesson/lesson.hpp"

namespace gpulab {

// How this program was built, for --version and JSON documents.
struct BuildFacts {
  std::string version;
  std::string revision;  // git revision, with -dirty for uncommitted changes
  std::string compiler;  // host compiler
  std::string build_type;
  std::string cuda_toolkit;  // empty without CUDA
};

const BuildFacts& build_facts();

// The program, machine and time of a measurement: they show whether two result files are comparable.
struct RunFacts {
  std::string started_utc;        // ISO 8601: "2026-03-01T09:30:00Z"
  std::vector<std::string> argv;  // as typed, the program's name first
  std::string hostname;
  std::string cpu;  // model name; empty if unknown
  int cores = 0;    // hardware threads
  BuildFacts build;
  std::string fallback = {};  // why the simulator replaced a GPU; empty if it did not
};

// Results of a lesson's run: plain values in SI units. Reports are pure functions of these.

enum class StopReason { converged, time_budget, sample_limit };

struct Interval {
  double low = 0;
  double high = 0;
};

// Repeated measurements of one thing. Samples are never dropped.
struct Timing {
  std::vector<double> samples_s;
  std::vector<double> clocks_hz = {};  // multiprocessor clock at each sample; empty if unknown
  double median_s = 0;
  std::optional<Interval> confidence_s;  // 95 % confidence interval of the median; needs six samples
  StopReason stop = StopReason::converged;

  // Returns half the interval's width as a fraction of the median.
  std::optional<double> relative_half_width() const {
    if (!confidence_s || median_s <= 0) return std::nullopt;
    return (confidence_s->high - confidence_s->low) / 2 / median_s;
  }
};

// Energy of back-to-back launches, by the GPU's own counter.
struct Energy {
  double joules_per_run = 0;
  double watts = 0;
  double seconds = 0;  // duration of the measurement
};

struct InputValue {
  std::string array;
  std::size_t index = 0;
  double value = 0;
  std::size_t row_length = 0;  // 0 if the array has no rows
};

// One element that differs from the reference.
struct Difference {
  std::size_t index = 0;
  double expected = 0;
  double actual = 0;
  std::vector<InputValue> inputs = {};  // inputs of this element, if few
  bool is_poison = false;               // unchanged since before the launch: never written
  std::size_t row_length = 0;           // 0 if the array has no rows
};

// The result of one of several devices that ran a variant together.
struct RankResult {
  int rank = 0;
  std::string device;  // device name
  std::string node;    // machine name; empty if there is only one
  std::string part;    // "elements 250 to 499"
  Outcome observed = Outcome::not_run;
  std::string explanation = {};         // like the variant's
  std::optional<double> median_s = {};  // from the variant's samples, which take the slowest rank
};

struct VariantResult {
  std::string name;
  std::string kernel;
  Outcome expected = Outcome::right;
  Outcome observed = Outcome::not_run;
  std::size_t size = 0;                // work items; may be fewer than requested, such as to simulate a race
  std::optional<LaunchConfig> launch;  // the first one; none if nothing was launched
  std::size_t launches = 0;
  std::string explanation;  // one line: what went wrong, or why a right result of a race proves nothing
  std::string pattern;      // for a wrong result: "unwritten-tail"
  Explanation wrong = {};   // for a wrong result: the explanation in parts
  std::optional<Failure> failure;  // why it did not compile, launch or finish
  std::size_t wrong_elements = 0;
  std::vector<Difference> first_differences;
  std::string compiler_log;
  std::optional<Timing> kernel_cold;    // on a GPU: caches evicted before each launch
  std::optional<Timing> launch_wall;    // one launch and the wait for it, by the host's clock
  std::optional<Timing> kernel_steady;  // back-to-back launches on the same arrays, as a graph
  std::optional<double> clock_hz;       // multiprocessor clock right after the samples
  std::optional<Energy> energy;         // same launches as kernel_steady
  // From one simulated run, if requested: "global_load_sectors", "fiber_switches".
  std::map<std::string, std::uint64_t> counts = {};
  bool computes_all = true;            // computes every output of the problem, so times are comparable
  std::optional<double> simulation_s;  // on the simulator: CPU time, never a GPU's time
  std::optional<Estimate> estimate;    // on the simulator: of its time on a GPU, if asked for
  Findings findings;                   // findings in its outputs, and figures that the lesson shows
  Timeline timeline;                   // if the lesson shows one
  std::vector<std::string> notes;      // remarks of the device
  std::vector<std::string> warnings;   // limitations of the figures
  bool lost_the_device = false;        // nothing can run on the device any more
  std::vector<RankResult> ranks = {};  // for a variant on several devices
  std::string printed = {};            // beginning of what its kernels printed; not serialised

  bool as_expected() const { return is_as_expected(expected, observed); }
};

inline constexpr const char* plain_reference = "reference";
inline constexpr const char* openmp_reference = "reference, OpenMP";
inline bool is_reference(const std::string& name) {
  return name == plain_reference || name == openmp_reference;
}

// A CPU reference: the plain loop on one thread, or OpenMP on all of them.
struct ReferenceResult {
  std::string name;
  int threads = 1;
  Outcome observed = Outcome::right;
  std::string explanation;
  Timing timing;
  std::optional<double> operations;  // operations it performs, if not those of the problem's traffic
};

enum class ClaimVerdict {
  holds,
  does_not_hold,
  inconclusive,
  predicted,      // expected to hold, by estimates: nothing was measured
  predicted_not,  // expected not to hold, likewise
  needs_gpu,
  needs_simulator,
  not_measured
};

struct ClaimResult {
  Claim claim;
  ClaimVerdict verdict = ClaimVerdict::not_measured;
  std::optional<double> ratio;  // measured or predicted: worse / better
};

struct TransferResult {
  double bytes_to_device = 0;
  double bytes_to_host = 0;
  Timing to_device;  // all inputs, from page-locked memory
  Timing to_host;    // all outputs, into page-locked memory
};

struct LessonResult {
  std::string lesson;
  std::string title;
  std::string problem;   // the problem's own description
  std::size_t size = 0;  // work items
  std::uint64_t seed = 0;
  std::map<std::string, OptionValue> options;  // options of the lesson itself
  Tolerance tolerance;
  Traffic traffic;
  DeviceProperties device;
  std::vector<ReferenceResult> references;
  std::vector<VariantResult> variants;
  std::vector<ClaimResult> claims;
  std::optional<TransferResult> transfers;
  std::optional<Records> records;    // found in the outputs of the last right variant
  std::vector<std::string> remarks;  // about the same outputs
  std::vector<Artifact> artifacts;   // files to write, made from the same outputs

  bool simulated() const { return device.simulated(); }
  // Returns whether a fault has disabled the GPU for this process; another process can use it.
  bool has_lost_the_device() const;
};

// Returns 0 if the variant did what the lesson expects.
ExitCode exit_code_of(const VariantResult& variant);

// Returns 0 if everything did what the lesson expects, else the most severe code.
ExitCode exit_code_of(const LessonResult& result);

// Returns the more severe code. A regression, which only right results can have, is the least severe failure.
ExitCode more_severe(ExitCode a, ExitCode b);

enum class Verdict {
  right,
  defect,  // right result, but a defect that another GPU or run may reveal
  wrong,
  unanswered,        // some answers are missing, none is wrong
  does_not_compile,  // or the kernel is missing, or has another signature than the lesson's
  not_checked,       // the file is missing or unreadable, or this machine cannot check it
};

// A further place in a learner's file, besides the main one of a check.
struct CheckPlace {
  int line = 0;
  int column = 0;           // 0 if unknown
  std::string source;       // the text of that line
  std::string pattern;      // pattern of a further defect; empty for another thread of the one before
  std::string text;         // "block 0 thread 2 (warp 0, lane 2) wrote it here"
  std::string file;         // empty for that of the check
  bool is_note = false;     // a finding of a program that is not a defect; not serialised
  bool is_allowed = false;  // a note that would be a defect without --allow; not serialised
};

// The settings at which a check failed, and options of gpulab that reproduce them.
struct TriedWith {
  std::size_t size = 0;  // 0 for a lesson without --size
  std::uint64_t seed = 42;
  std::map<std::string, std::string> options = {};  // the lesson's own options, as typed
  bool edge_inputs = false;

  friend bool operator==(const TriedWith&, const TriedWith&) = default;
};

// The check of a learner's file, in words. Texts are whole sentences or lines, without line breaks.
struct CheckResult {
  std::string exercise;  // the lesson: "shared-histogram"
  std::string file;      // as given: "shared_histogram.cu"
  Verdict verdict = Verdict::right;
  std::string pattern;  // "race-shared", "unwritten-tail"; empty if right
  std::string hint;     // advice for the pattern; may be empty
  std::string summary;  // the fault in one line
  // The summary without the guess at its end ("...; consistent with an index that is off by one"). For a
  // compiler's message, the summary without file and line. Empty if the summary has no such part.
  std::string fact = {};
  std::vector<std::string> details;  // threads and lines where it shows, further defects
  std::string where;                 // sizes and options with a right and a wrong result; may be empty
  std::vector<Difference> first_differences;  // wrong elements of the result
  std::size_t size = 0;                       // work items at which it shows
  unsigned block_size = 0;
  std::string schedule;             // "forward", "reverse", "preempted"; empty for a GPU
  int line = 0;                     // line of the learner's file; 0 if unknown
  int column = 1;                   // the compiler's column, or the start of the line's text
  std::string source;               // the text of that line
  std::vector<CheckPlace> related;  // other threads of a race, and further defects, errors and wrong answers
  std::string compiler_log;         // for a kernel that does not compile
  // Beginning of the printf output of the failing launch (or the first one), or of the whole program.
  std::string printed;
  bool is_program = false;              // has its own main()
  std::optional<TriedWith> tried_with;  // to reproduce the failure; none if it was not run
  std::vector<std::string> notes;
  std::vector<VariantResult> on_gpu;  // with a GPU: the learner's kernel, then the lesson's variants, timed
  std::optional<PredictedTimes> predicted;  // without a GPU, if it is right
  double seconds = 0;                       // wall-clock duration of the check
  std::optional<Defect> defect = {};        // the one that `summary` describes; not serialised
  std::size_t wrong_elements = 0;           // number of them in the whole result; not serialised
  std::size_t questions = 0;                // number of questions; 0 for a kernel
  std::size_t right_answers = 0;            // number of right answers
};

// Returns the most severe code of several checks: 0 if all are right.
ExitCode exit_code_of(const std::vector<CheckResult>& results);

// Causes of unnecessarily expensive accesses.
enum class AccessCost {
  sectors,         // more than the requested bytes would fill
  bank_conflicts,  // words of shared memory in the same bank
  same_address,    // atomics at the same address
  idle_lanes,      // requests with inactive lanes
};

// The accesses of one kind in one line, and their worst cost.
struct CostlyAccess {
  LineAccesses accesses;
  AccessCost cost = AccessCost::sectors;
};

constexpr double part_of_total_that_matters = 0.05;

// Returns the accesses with the most excess cost. None if the excess is less than a fifth of what these
// accesses would cost at best, or less than that part of what all accesses cost.
std::optional<CostlyAccess> costliest_access(const AccessCounts& counts,
                                             double min_part_of_total = part_of_total_that_matters);

// Returns the stride in bytes between neighbouring lanes that causes most excess; none if there are several.
std::optional<std::int64_t> stride_of(const CostlyAccess& costly);

// Memory accesses of a lesson's kernels, line by line, as the simulator counts them.

struct VariantInspection {
  VariantResult result;  // the counted run; its accesses are known only if it finished
  std::string problem;   // the problem's own description
  std::string file;      // kernel file, as named in messages
  std::string source;    // the text of that file
  AccessCounts counts;
  std::optional<Defect> defect = {};  // the most severe one, if it was watched
};

struct Inspection {
  std::string lesson;
  std::string title;
  std::uint64_t seed = 0;
  std::map<std::string, OptionValue> options;  // the lesson's own options, as counted with
  std::size_t asked_size = 0;  // work items of the requested problem, which may have been too large
  std::vector<VariantInspection> variants;
};

// Returns whether the variant finished, so that its accesses are known.
bool is_counted(const VariantInspection& variant);

// Returns 0 if every variant did what the lesson expects, else the most severe code.
ExitCode exit_code_of(const Inspection& inspection);

// Figures derived from a result, for every output format. A figure is absent if one of its inputs was not
// measured.

// Returns whether a variant's figures are meaningful: it is right, and meant to be.
bool is_right_as_expected(const VariantResult& variant);

// Returns the median time of a kernel; none if its figures are not meaningful or it ran at another size.
std::optional<double> kernel_median_s(const LessonResult& result, const VariantResult& variant);

// Returns the median time of a CPU reference.
std::optional<double> reference_median_s(const ReferenceResult& reference);

// Returns the bytes that the problem must move, over the time; absent too if the lesson declares none.
std::optional<double> effective_bytes_per_s(const Traffic& traffic, std::optional<double> seconds);

// Returns floating-point operations per second; none if the problem has none.
std::optional<double> operations_per_s(const Traffic& traffic, std::optional<double> seconds);

// Returns the median of a variant that computes the whole problem, so that rates and speed-ups make sense.
std::optional<double> problem_median_s(const LessonResult& result, const VariantResult& variant);

// Returns the fraction of the theoretical peak of all devices that the variant ran on: of their memory or
// their arithmetic, whichever limits the problem.
std::optional<double> fraction_of_peak(const LessonResult& result, const VariantResult& variant,
                                       std::optional<double> seconds);

// Returns the time of the kernel and the copies in both directions: a sum of medians, not a measurement.
std::optional<double> with_copies_s(const LessonResult& result, std::optional<double> kernel_s);

// Returns the estimate of a variant that is right as expected at the requested size; null without one.
const Estimate* estimate_of(const LessonResult& result, const VariantResult& variant);

// Returns the speed-up over the reference.
std::optional<double> speed_up(const ReferenceResult& reference, std::optional<double> seconds);

}  // namespace gpulab
