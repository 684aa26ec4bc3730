#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "lesson/access_counts.hpp"
#include "lesson/exercise.hpp"
#include "lesson/handles.hpp"
#include "lesson/launch.hpp"
#include "lesson/problem.hpp"

namespace gpulab {

// The outcome of a variant. A lesson expects one, a run observes one; they are compared.
enum class Outcome {
  right,
  wrong,             // the result differs from the reference
  race,              // expected only: a data race, so any result may come out
  defect,            // the device saw a defect while watching, whatever the result
  out_of_bounds,     // wrote past the end of an array; the result itself may be right
  fails_to_launch,   // the device refuses the grid, the block or the shared memory
  fails_to_compile,  // a compiler refuses the kernel, or its signature is not what the lesson launches
  faults,            // the device stopped the kernel (illegal address, deadlock, time limit)
  leaks,             // right, but device memory was not freed
  not_run,           // observed only: an earlier fault disabled the device, or a library refused
};

std::string_view name_of(Outcome outcome);

// The expected outcome of a variant: constant, or a function of the context.
class Expectation {
 public:
  Expectation(Outcome always) : always_(always) {}  // NOLINT
  template <class Function>
  requires std::is_invocable_r_v<Outcome, Function, const LaunchContext&> Expectation(Function outcome_at)
      : outcome_at_(std::move(outcome_at)) {}  // NOLINT: implicit, so that a lesson writes either

  Outcome at(const LaunchContext& context) const { return always_ ? *always_ : outcome_at_(context); }

  // Returns whether it is this outcome in every context.
  bool is_always(Outcome outcome) const { return always_ == outcome; }

 private:
  std::optional<Outcome> always_;
  std::function<Outcome(const LaunchContext&)> outcome_at_;
};

// Returns whether all kernels ran to completion.
bool ran_to_its_end(Outcome observed);

// Returns whether the outcome is as expected. An expected race may give a right or a wrong result.
bool is_as_expected(Outcome expected, Outcome observed);

// A statement about two variants, tested in every run with both.
struct Claim {
  enum class Kind {
    faster,         // better takes at most 1 / ratio of the time of worse
    not_faster,     // better takes at least ratio times the time of worse, so it is not better
    fewer_counted,  // the figure of better is at most 1 / ratio of that of worse
  };

  Kind kind = Kind::faster;
  double ratio = 1;
  std::string better;
  std::string worse;
  std::string figure = {};  // "sectors per load"; empty for a claim about time
  // Smallest problem that it holds for, in work items. Smaller ones mostly take a fixed time, such as that of
  // the launch, which is the same for both variants.
  std::size_t from = 0;
  // Problems and block sizes that it applies to; by default all. Not tested for others.
  std::function<bool(const LaunchContext&)> where = {};
};

// Claims that the first takes at most 1 / ratio of the time of the second.
inline Claim at_least(double ratio, std::string faster, std::string slower) {
  return {Claim::Kind::faster, ratio, std::move(faster), std::move(slower)};
}

// Claims that the first is not faster than the second. Three percent count as equal: measurements of equal
// speeds differ, too.
inline Claim no_faster(std::string first, std::string second) {
  return {Claim::Kind::not_faster, 0.97, std::move(first), std::move(second)};
}

// Claims that the first needs at most 1 / ratio of the second's figure, which the simulator counts.
inline Claim at_least_fewer(double ratio, std::string figure, std::string fewer, std::string more) {
  return {Claim::Kind::fewer_counted, ratio, std::move(fewer), std::move(more), std::move(figure)};
}

// Restricts a claim to problems of at least `items` work items.
inline Claim from_size(std::size_t items, Claim claim) {
  claim.from = items;
  return claim;
}

// Restricts a claim to some problems and block sizes: only_where(is_large, at_least(2, "tiled", "naive")).
inline Claim only_where(std::function<bool(const LaunchContext&)> where, Claim claim) {
  claim.where = std::move(where);
  return claim;
}

// The resource that limits a variant.
enum class LimitedBy {
  as_the_lesson_says,  // memory, or multiply-adds in float32
  memory,
  tensor_cores,    // three products in TF32 for each in float32
  half_precision,  // products in float16, with float32 sums
  host_link,       // simultaneous copies to the device and back
};

// A case of `gpulab limits`: the fraction of the ceiling that a lesson's top variant should reach at that
// size. The ceiling is measured in the same run, so targets mean the same on every GPU.
struct LimitCase {
  std::string label;     // "2^25, sorted"
  std::size_t size = 0;  // for a lesson with --size
  std::map<std::string, OptionValue> options = {};
  std::string variant;
  std::string yardstick = {};          // variant to compare with
  double min_fraction_of_ceiling = 0;  // 1: the measured ceiling itself; 0: no target
  double min_speedup = 0;              // speed relative to the yardstick, if available; 0: no target
  LimitedBy limited_by = LimitedBy::as_the_lesson_says;
  double bytes_copied = 0;        // each way, for a variant limited by the host link
  std::string host_library = {};  // CPU library call that computes the same from the lesson's arguments
};

// Scaling over several devices.

// Predicts the time of a problem divided among devices: a fixed time, such as a launch, each device's rate,
// and the time of the final collective operation, by number of devices.
struct ScalingModel {
  double fixed_s = 0;
  double bytes_per_s = 0;
  std::map<int, double> collective_s = {};  // none for 1 device

  // Throws std::out_of_range for an unknown number of devices.
  double predicted_s(int devices, double bytes) const {
    return fixed_s + bytes / devices / bytes_per_s + (devices > 1 ? collective_s.at(devices) : 0);
  }

  // Returns the size at which two devices take as long as one; below it, one is faster.
  double crossover_bytes() const { return 2 * bytes_per_s * collective_s.at(2); }
};

// Return speed-up and parallel efficiency, from the times of one device and of all together.
constexpr double speed_up(double one_s, double all_s) {
  return one_s / all_s;
}
constexpr double parallel_efficiency(double one_s, double all_s, int devices) {
  return one_s / (all_s * devices);
}

// Return bandwidths of an all-reduce, as nccl-tests defines them (doc/PERFORMANCE.md): buffer bytes over
// time, and the traffic of each device's link, to which a ring sends 2 (n - 1) / n of the buffer.
constexpr double algorithm_bandwidth(double bytes, double seconds) {
  return bytes / seconds;
}
constexpr double bus_bandwidth(double bytes, double seconds, int devices) {
  return algorithm_bandwidth(bytes, seconds) * 2 * (devices - 1) / devices;
}

// The block sizes (threads) that a variant supports, and its default.
struct BlockSizes {
  unsigned threads = 256;
  unsigned multiple_of = 1;
  unsigned max = max_threads_per_block;
  bool power_of_two = false;

  bool allows(unsigned requested) const {
    return requested > 0 && requested <= max && requested % multiple_of == 0 &&
           (!power_of_two || std::has_single_bit(requested));
  }
};

// Returns a single block size, for kernels with tiles of a fixed size, for example.
constexpr BlockSizes only_blocks_of(unsigned threads) {
  return {.threads = threads, .multiple_of = threads, .max = threads};
}

// A __constant__ or __device__ variable of the kernel file that an input is copied to, before timing.
struct Symbol {
  std::string name;
  AnyInput array;
};

// Host memory of the arrays, for variants that copy them: the device reads pinned memory directly, while the
// driver copies pageable memory once more.
enum class HostMemory { pageable, pinned };

// Hardware that a kernel needs, which not every GPU and never the simulator has: instructions of a compute
// capability, including architecture-specific ones such as wgmma in 9.0.
struct GpuNeed {
  int major = 0, minor = 0;
  bool exactly = false;          // later compute capabilities lack it
  std::size_t shared_bytes = 0;  // static and dynamic, per block; not every GPU allows as much

  bool is_met_by(const DeviceProperties& device) const;
  std::string text() const;  // "a GPU of compute capability 8.0 or later"
};

// One way to compute the lesson's problem, a step of the ladder: a kernel and its launch, or several steps.
struct Variant {
  std::string name;
  std::string kernel;  // the __global__ function; the main one of several
  std::string idea;    // one line: the difference from the variant before
  LaunchShape launch = one_thread_per_element;
  Expectation expects = Outcome::right;
  bool races = false;  // on purpose: the simulator must interrupt threads to reveal it
  BlockSizes block = {};
  std::string source = {};   // file in kernels/, if not the lesson's
  Arguments arguments = {};  // kernel arguments, if not the lesson's
  std::vector<Symbol> symbols = {};
  // Replaces the single launch of the kernel.
  std::function<void(Execution&)> steps = {};
  // Runs on each of several ranks instead, with its part of the problem.
  std::function<void(Execution&, Rank&)> on_each_rank = {};
  int ranks = 0;                         // devices that take part; 0 for all
  bool grows_with_ranks = false;         // weak scaling: n of N devices get n / N of the problem
  bool in_graph = false;                 // captured once and launched as one graph, if the device has graphs
  bool reaches_ranks = false;            // uses other ranks' memory or events, so all ranks share a process
  std::vector<AnyOutput> computes = {};  // outputs it is judged by, if not all
  std::optional<std::size_t> max_size = {};  // runs at this size when a larger one is requested
  std::optional<GpuNeed> needs = {};         // cuda only
  // A yardstick: the library call made instead of a kernel, with the same arguments.
  std::string library = {};
  std::function<Tolerance(const LaunchContext&)> tolerance = {};  // if less exact than the lesson's kernels
  // A whole program, exercises/LESSON/programs/NAME.cu, which prints what the lesson's ProgramTask specifies.
  // It uses no kernel of the lesson; the problem only gives its size.
  bool is_program = false;
  // For a variant that copies the inputs to the device itself: the kind of host memory that they are in.
  // Before such a variant runs, the device lacks its inputs.
  std::optional<HostMemory> copies_inputs_from = {};
};

// Most elements that a kernel may index with int: threads past the end, and grid-stride loops, compute
// indices up to one stride (at most 2^21 resident threads) beyond the size, which must not overflow.
constexpr std::size_t largest_int_index = (std::size_t{1} << 31) - (std::size_t{1} << 21);

// A lesson's place in the course: its episode and step.
struct Place {
  int episode = 0;
  int step = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

// Orders lessons as taught. The course writes its first kernel in episode 6; kernels for earlier episodes
// need all that comes later, so they are taught last.
inline bool operator<(const Place& a, const Place& b) {
  constexpr int episode_of_first_kernel = 6;
  const auto rank = [](const Place& place) {
    return std::tuple(place.episode < episode_of_first_kernel, place.episode, place.step);
  };
  return rank(a) < rank(b);
}

// Figures shown for each variant, besides its result and time.
struct Shows {
  bool registers = false;   // registers, local memory and spills per thread, as the GPU's compiler says
  bool timeline = false;    // operations in each stream
  bool copy_rates = false;  // GB/s of the copies in each direction
  // For several devices: their collective operation alone. Shows speed-up, efficiency and the time predicted
  // from its duration and the time of one device.
  std::function<void(Execution&, Rank&)> scaling_with = {};
  std::vector<AccessMetric> accesses = {};  // figures that the simulator counts
};

// Sizes at which a check runs the last blocks alone, with memory for their elements only. For kernels in
// which thread i computes element i, and problems that look at Settings::begins_at.
struct FarSizes {
  std::vector<std::size_t> sizes = {};
  unsigned block_size = 0;  // 0: the solution's
};

// A lesson is one step of the workshop and one subcommand: the computation (Problem), ways to do it
// (Variant), and statements about them (Claim). It knows no device, clock or output format. Most lessons
// include only this header.
struct Lesson {
  std::string name;  // the subcommand; by default the folder's name, with hyphens
  std::vector<std::string> aliases = {};
  std::string title;
  Place place;
  std::string page;               // page of the course's documentation
  std::string text;               // the text of lesson.txt
  std::string kernels;            // file in kernels/; by default the one named like the folder
  std::string kernels_text = {};  // text of that file, if it is not one of kernels/
  std::size_t default_size = 0;   // 0: no --size; its own options give the problem's size
  std::size_t largest_size = largest_int_index;
  std::vector<Option> options = {};
  std::vector<std::string> sides = {};  // options set to the square root of a size: "m", "n", "k"
  // Throws UsageError for inconsistent settings and unreadable files.
  std::function<Problem(const Settings& settings)> problem;
  Arguments arguments;  // default kernel arguments of the variants
  std::vector<Variant> variants;
  // Library calls that users would choose instead, if the library is available.
  std::vector<Variant> yardsticks = {};
  std::vector<Claim> claims = {};
  std::vector<LimitCase> limits = {};     // for `gpulab limits` on a GPU
  std::vector<LimitCase> simulated = {};  // for the simulator: its speed on these kernels
  std::string solution;                   // the variant that learners should arrive at; by default the last
  // Options to check a learner's kernel with. Without --size: those that reveal most mistakes first. With
  // --size: counts, and maybe a "size", tried last for mistakes that no small size reveals.
  std::vector<std::map<std::string, OptionValue>> checked_at = {{}};
  FarSizes checked_far = {};
  // Further block sizes (threads) to check with, if the exercise does not promise one.
  std::vector<unsigned> checked_blocks = {};
  bool is_checked_with_64_lanes = false;  // checked in warps of 32 lanes, then in warps of 64
  Shows shows = {};
  QuestionSheet sheet = {};  // for a lesson without a kernel to write
  ProgramTask program = {};  // for a lesson whose exercise or variants are whole programs
  std::vector<Demand<KernelRecord>> demands = {};  // of the exercise, besides a right result
  std::size_t counted_size = 2048;                 // the size at which they are tested

  // Throws std::logic_error, which names the lesson and the array, if two arrays or scalars of the problem
  // share a name, or the lesson uses one that the problem lacks.
  void require_consistent(const Problem& problem) const;

  bool has_size() const { return default_size > 0; }
  // Returns whether it has variants for several devices.
  bool is_divided() const;
  bool is_called(const std::string& word) const;
  // Returns the file in kernels/ with the variant's kernel.
  const std::string& file_of(const Variant& variant) const;
  // Returns the arguments of the variant's kernel.
  const Arguments& arguments_of(const Variant& variant) const;
  // Returns the settings used by default.
  Settings default_settings() const;
};

// Returns every lesson, in the order of the course. The table behind it is generated at configure time from
// the folders in exercises/ (cmake/lessons.cmake): nothing registers itself.
const std::vector<Lesson>& all_lessons();

// An embedded file by name: the kernels and the programs of exercises/LESSON/programs/, as of the build.
struct EmbeddedFile {
  const char* name;
  const char* text;
};
const std::vector<EmbeddedFile>& embedded_kernels();

// Returns the files of data/editors/ by name, for `gpulab editor`.
const std::vector<EmbeddedFile>& embedded_editor_files();

// Returns exercises/LESSON/lesson.txt for a folder's name.
const char* embedded_lesson_text(std::string_view folder);

// Returns exercises/LESSON/demo.txt for a lesson's name; "" if it has none.
const char* embedded_demo_text(std::string_view lesson);

// A typical mistake, as a learner's file: exercises/LESSON/mistakes/NAME.cu, or NAME.txt for questions.
struct EmbeddedMistake {
  const char* exercise;
  const char* name;
  const char* text;
};
const std::vector<EmbeddedMistake>& embedded_mistakes();

// Returns data/recorded-figures.csv.
const char* embedded_recorded_figures();

// The texts of exercises/LESSON/ by the folder's name: starter.cu and hints.txt, with solution.cu for a whole
// program; or questions.txt, hints.txt and answers.txt. A program beside questions has program_hints.txt.
struct EmbeddedExercise {
  const char* folder;
  ExerciseKind kind;
  bool is_second;  // the lesson's program, after its questions
  const char* starter;
  const char* hints;
  const char* solution;  // empty for a kernel exercise
};
const std::vector<EmbeddedExercise>& embedded_exercises();

// Returns every exercise: the course's, in the order of the lessons, or those that are used in their place.
std::vector<Exercise> all_exercises();

// An exercise that is read at run time, from an instructor's folder, and the lesson made for it.
struct OwnExercise {
  Lesson lesson;
  Exercise exercise;
};

// Uses these in place of the course's exercises, until the process ends.
void use_exercises(std::vector<OwnExercise> own);

// Returns every lesson of the course, and those of the exercises that are used in their place: pointers to
// these are valid until the next use_exercises.
std::vector<const Lesson*> known_lessons();
// Throws std::logic_error if no known lesson has the exercise.
const Lesson& lesson_of(const Exercise& exercise);

}  // namespace gpulab
