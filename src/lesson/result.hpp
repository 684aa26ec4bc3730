#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lesson/access_counts.hpp"
#include "lesson/finding.hpp"
#include "lesson/launch.hpp"
#include "lesson/lesson.hpp"

namespace gpulab {

// How this program was built: what --version and the JSON documents say of it.
struct BuildFacts {
  std::string version;
  std::string revision;  // of git, with -dirty when files were changed
  std::string compiler;  // of the host code
  std::string build_type;
  std::string cuda_toolkit;  // empty when it was built without
};

const BuildFacts& build_facts();

// Who measured, where and when: what makes two result files comparable, or not.
struct RunFacts {
  std::string started_utc;        // ISO 8601: "2026-03-01T09:30:00Z"
  std::vector<std::string> argv;  // as typed, the program's name first
  std::string hostname;
  std::string cpu;  // the model's name; empty when the system does not tell
  int cores = 0;    // threads that the system can run at once
  BuildFacts build;
  std::string fallback = {};  // why the simulator took the place of a GPU; empty where it did not
};

// What a run of a lesson produces: plain values in SI units. Reports are pure functions of these.

enum class StopReason { converged, time_budget, sample_limit };

struct Interval {
  double low = 0;
  double high = 0;
};

// Repeated measurements of one thing. Samples are never dropped.
struct Timing {
  std::vector<double> samples_s;
  std::vector<double> clocks_hz = {};  // of the multiprocessors, at each sample; empty where nobody tells
  double median_s = 0;
  std::optional<Interval> confidence_s;  // 95 %, of the median; needs six samples
  StopReason stop = StopReason::converged;

  // Half the width of the interval, as a fraction of the median.
  std::optional<double> relative_half_width() const {
    if (!confidence_s || median_s <= 0) return std::nullopt;
    return (confidence_s->high - confidence_s->low) / 2 / median_s;
  }
};

// Of launches one after another, by the GPU's own counter.
struct Energy {
  double joules_per_run = 0;
  double watts = 0;
  double seconds = 0;  // that were measured
};

struct InputValue {
  std::string array;
  std::size_t index = 0;
  double value = 0;
};

// One element that differs from the reference.
struct Difference {
  std::size_t index = 0;
  double expected = 0;
  double actual = 0;
  std::vector<InputValue> inputs = {};  // that it is computed from, where these are few
  bool is_poison = false;               // as it was before the launch: nobody has written it
};

// What one of several devices did that ran a variant together.
struct RankResult {
  int rank = 0;
  std::string device;  // its name
  std::string node;    // the machine that it is in; empty where there is only one
  std::string part;    // "elements 250 to 499"
  Outcome observed = Outcome::not_run;
  std::string explanation = {};         // as that of the variant
  std::optional<double> median_s = {};  // of the same samples as the variant's, which take the slowest rank
};

struct VariantResult {
  std::string name;
  std::string kernel;
  Outcome expected = Outcome::right;
  Outcome observed = Outcome::not_run;
  std::size_t size = 0;  // work items; can be fewer than asked for, such as where a race is simulated
  std::optional<LaunchConfig> launch;  // the first one; absent when nothing was launched
  std::size_t launches = 0;
  std::string explanation;         // one line: what went wrong, or what a race proves
  std::string pattern;             // of a wrong result: "unwritten-tail"
  Explanation wrong = {};          // of a wrong result: the explanation in its parts
  std::optional<Failure> failure;  // why it did not compile, launch or come to its end
  std::size_t wrong_elements = 0;
  std::vector<Difference> first_differences;
  std::string compiler_log;
  std::optional<Timing> kernel_cold;    // on a GPU: caches evicted before each launch
  std::optional<Timing> launch_wall;    // one launch and the wait for it, by the host's clock
  std::optional<Timing> kernel_steady;  // launches one after another on the same arrays, as a graph
  std::optional<double> clock_hz;       // of the multiprocessors, right after the samples
  std::optional<Energy> energy;         // of the same launches as kernel_steady
  // Of one run, on the simulator and where it was asked for: "global_load_sectors", "fiber_switches".
  std::map<std::string, std::uint64_t> counts = {};
  bool computes_all = true;            // every output of the problem, so that times can be compared
  std::optional<double> simulation_s;  // on the simulator: CPU time spent, never a GPU's time
  Findings findings;                   // of its outputs, and what the lesson shows of it
  Timeline timeline;                   // where the lesson shows one
  std::vector<std::string> notes;      // what the device remarked
  std::vector<std::string> warnings;   // what limits the use of the figures
  bool lost_the_device = false;        // after it nothing can run on the device any more
  std::vector<RankResult> ranks = {};  // of a variant for several devices

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
  std::optional<double> operations;  // it does, where they are not those of the problem's traffic
};

enum class ClaimVerdict { holds, does_not_hold, inconclusive, needs_gpu, needs_simulator, not_measured };

struct ClaimResult {
  Claim claim;
  ClaimVerdict verdict = ClaimVerdict::not_measured;
  std::optional<double> ratio;  // measured: worse / better
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
  std::map<std::string, OptionValue> options;  // the lesson's own
  Tolerance tolerance;
  Traffic traffic;
  DeviceProperties device;
  std::vector<ReferenceResult> references;
  std::vector<VariantResult> variants;
  std::vector<ClaimResult> claims;
  std::optional<TransferResult> transfers;
  std::optional<Records> records;    // found in the outputs: of the last variant that came out right
  std::vector<std::string> remarks;  // about the same
  std::vector<Artifact> artifacts;   // files to write, made of the same

  bool simulated() const { return device.simulated(); }
  // A GPU is lost to this process after a fault, and only another one can use it.
  bool has_lost_the_device() const;
};

// 0 when it did what the lesson expects.
ExitCode exit_code_of(const VariantResult& variant);

// 0 when everything did what the lesson expects; otherwise the most severe of what happened.
ExitCode exit_code_of(const LessonResult& result);

// Of two codes, the one to end with. A regression, which only a right result can have, gives way to all
// others.
ExitCode more_severe(ExitCode a, ExitCode b);

enum class Verdict {
  right,
  defect,  // the result is right, but the kernel has a defect that another GPU or another run may show
  wrong,
  unanswered,        // no answer to a question is wrong, but not all are there
  does_not_compile,  // or has another signature than the lesson launches, or is not there
  not_checked,       // there is no such file, nobody can read it, or this machine cannot check it
};

// A place in a learner's file, beside the one that a check is about first.
struct CheckPlace {
  int line = 0;
  int column = 0;       // 0 until it is known
  std::string source;   // the text of that line
  std::string pattern;  // of something else that is wrong; empty for the other side of what stands before it
  std::string text;     // "block 0 thread 2 (warp 0, lane 2) wrote it here"
};

// The settings that a kernel was tried with. Options are those that it takes to come to the same settings.
struct TriedWith {
  std::size_t size = 0;  // 0 for a lesson that has none
  std::uint64_t seed = 42;
  std::map<std::string, std::string> options = {};  // the lesson's own, as they are typed
  bool edge_inputs = false;

  friend bool operator==(const TriedWith&, const TriedWith&) = default;
};

// What a learner's kernel does right or wrong, in words. Texts are whole sentences or lines, without line
// breaks.
struct CheckResult {
  std::string exercise;  // the lesson: "shared-histogram"
  std::string file;      // as it was given: "shared_histogram.cu"
  Verdict verdict = Verdict::right;
  std::string pattern;  // "race-shared", "unwritten-tail"; empty when right
  std::string hint;     // what to look for, given the pattern; may be empty
  std::string summary;  // what is wrong, in one line
  // The same without a guess, and without the file and line before a compiler's words; empty where there is
  // nothing to leave out.
  std::string fact = {};
  std::vector<std::string> details;           // where and how it shows: threads, lines, further defects
  std::string where;                          // where else it is right, and where it is wrong; may be empty
  std::vector<Difference> first_differences;  // of the result, where it differs
  std::size_t size = 0;                       // work items at which it shows
  unsigned block_size = 0;
  std::string schedule;             // "forward", "reverse", "preempted"; empty for a GPU
  int line = 0;                     // of the learner's file; 0 when it cannot be told
  int column = 1;                   // of it: the compiler's, or where its text begins
  std::string source;               // the text of that line
  std::vector<CheckPlace> related;  // other threads of a race, and further defects, errors and wrong answers
  std::string compiler_log;         // of a kernel that does not compile
  // By printf, in the launch that shows it, or in the first; or by the whole program. Its beginning.
  std::string printed;
  bool is_program = false;              // with a main() of its own
  std::optional<TriedWith> tried_with;  // where it shows, to have it again; none if it was not run
  std::vector<std::string> notes;
  std::vector<VariantResult> on_gpu;  // with a GPU: the learner's kernel, then the lesson's variants, timed
  double seconds = 0;                 // that the check took, by the clock on the wall
  std::size_t questions = 0;          // of a sheet of questions; a kernel has none
  std::size_t right_answers = 0;      // to them
};

// Of several checks, the most severe: 0 when all are right.
ExitCode exit_code_of(const std::vector<CheckResult>& results);

// What makes accesses cost more than they have to.
enum class AccessCost {
  sectors,         // more of them than the bytes wanted would fill
  bank_conflicts,  // words of shared memory that meet in a bank
  same_address,    // atomics that meet at one address
  idle_lanes,      // requests that only a part of the warp takes part in
};

// The accesses of one kind in one line, and what is worst about them.
struct CostlyAccess {
  LineAccesses accesses;
  AccessCost cost = AccessCost::sectors;
};

// Where most is asked for in vain, over all requests. None where that is little: less than a fifth of what
// the line needs, or than a twentieth of what the kernels ask for.
std::optional<CostlyAccess> costliest_access(const AccessCounts& counts);

// The distance in bytes between what neighbouring lanes access where most is asked for in vain; none where
// there are several.
std::optional<std::int64_t> stride_of(const CostlyAccess& costly);

// What the kernels of a lesson ask of memory, line by line, as the simulator counts it.

struct VariantInspection {
  VariantResult
      result;           // of the run that was counted; what it asked for is known only when it ran to its end
  std::string problem;  // what it was run on, as the problem describes itself
  std::string file;     // of its kernels, as messages call it
  std::string source;   // the text of that file
  AccessCounts counts;
};

struct Inspection {
  std::string lesson;
  std::string title;
  std::uint64_t seed = 0;
  std::map<std::string, OptionValue> options;  // the lesson's own, as counted with
  std::size_t asked_size = 0;  // work items of the problem that was asked for, which may have been too large
  std::vector<VariantInspection> variants;
};

// Whether the variant ran to its end, so that its accesses are known.
bool is_counted(const VariantInspection& variant);

// 0 when every variant did what the lesson expects; otherwise the most severe of what happened.
ExitCode exit_code_of(const Inspection& inspection);

// What follows from a result by arithmetic, for every output format. A figure is absent when something that
// it needs was not measured.

// Whether a variant's figures mean anything: it is right, and right by intention.
bool is_right_as_expected(const VariantResult& variant);

// Median time of a kernel whose figures mean something, at the size asked for.
std::optional<double> kernel_median_s(const LessonResult& result, const VariantResult& variant);

// Median time of a CPU reference.
std::optional<double> reference_median_s(const ReferenceResult& reference);

// The bytes that the problem must move, over the time; absent too where the lesson declares none.
std::optional<double> effective_bytes_per_s(const Traffic& traffic, std::optional<double> seconds);

// Floating-point operations per second; none where the problem has none.
std::optional<double> operations_per_s(const Traffic& traffic, std::optional<double> seconds);

// The median of a variant that computes the whole problem, so that rates and speed-ups of it make sense.
std::optional<double> problem_median_s(const LessonResult& result, const VariantResult& variant);

// Of the device's theoretical peak, of memory or of arithmetic, whichever limits the problem; 1 is all of it.
// Of all the devices together that the variant ran on.
std::optional<double> fraction_of_peak(const LessonResult& result, const VariantResult& variant,
                                       std::optional<double> seconds);

// The kernel and the copies in both directions: a sum of medians, not a measurement of its own.
std::optional<double> with_copies_s(const LessonResult& result, std::optional<double> kernel_s);

// How many times as fast as the reference something is that takes so long.
std::optional<double> speed_up(const ReferenceResult& reference, std::optional<double> seconds);

}  // namespace gpulab
