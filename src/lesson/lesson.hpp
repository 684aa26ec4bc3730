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

// What a variant does. A lesson expects it, a run observes it; the two are compared.
enum class Outcome {
  right,
  wrong,             // the result differs from the reference
  race,              // expected only: threads race, so any result may come out
  defect,            // something is wrong with it, whatever comes out: the device saw it when it watched
  out_of_bounds,     // wrote past the end of an array; the result itself may be right
  fails_to_launch,   // the device refuses the grid, the block or the shared memory
  fails_to_compile,  // a compiler refuses the kernel, or its signature is not what the lesson launches
  faults,            // the device stopped the kernel (illegal address, deadlock, time limit)
  leaks,             // right, but device memory that it allocated was not freed
  not_run,           // observed only: an earlier fault left the device unusable, or a library refused
};

std::string_view name_of(Outcome outcome);

// What a variant is expected to do: always the same, or what a function of the context says.
class Expectation {
 public:
  Expectation(Outcome always) : always_(always) {}  // NOLINT
  template <class Function>
  requires std::is_invocable_r_v<Outcome, Function, const LaunchContext&> Expectation(Function at)
      : at_(std::move(at)) {}  // NOLINT: a lesson writes either where an Expectation stands

  Outcome at(const LaunchContext& context) const { return always_ ? *always_ : at_(context); }

  // At all sizes and in all circumstances.
  bool is_always(Outcome outcome) const { return always_ == outcome; }

 private:
  std::optional<Outcome> always_;
  std::function<Outcome(const LaunchContext&)> at_;
};

// Whether what was observed comes of kernels that all ran to their end.
bool ran_to_its_end(Outcome observed);

// Whether what happened is what was expected. A race is as expected whatever came out.
bool is_as_expected(Outcome expected, Outcome observed);

// What a lesson says about two of its variants, tested at every run that has both.
struct Claim {
  enum class Kind {
    faster,         // better takes at most 1 / ratio of the time of worse
    not_faster,     // better, so called, takes at least the time of worse, but for a fraction of 1 - ratio
    fewer_counted,  // the figure of better is at most 1 / ratio of that of worse
  };

  Kind kind = Kind::faster;
  double ratio = 1;
  std::string better;
  std::string worse;
  std::string figure = {};  // "sectors per load"; empty when it is about time
  // The smallest problem for which it is said, in work items. In the time of a smaller one there is too much
  // that both variants share, such as the launch.
  std::size_t from = 0;
  // The problems and block sizes that it is meant for; left out: all. It is not measured for others.
  std::function<bool(const LaunchContext&)> where = {};
};

// The one takes at most 1 / ratio of the time of the other.
inline Claim at_least(double ratio, std::string faster, std::string slower) {
  return {Claim::Kind::faster, ratio, std::move(faster), std::move(slower)};
}

// The one is not faster than the other. Three percent count as equal: measurements of equal speeds differ,
// too.
inline Claim no_faster(std::string one, std::string than) {
  return {Claim::Kind::not_faster, 0.97, std::move(one), std::move(than)};
}

// Of that figure, which the simulator counts, the one needs at most 1 / ratio as many as the other.
inline Claim at_least_fewer(double ratio, std::string figure, std::string fewer, std::string more) {
  return {Claim::Kind::fewer_counted, ratio, std::move(fewer), std::move(more), std::move(figure)};
}

// The same claim, for problems of at least so many work items.
inline Claim from_size(std::size_t items, Claim claim) {
  claim.from = items;
  return claim;
}

// The same claim, for some problems and block sizes only: only_where(is_large, at_least(2, "tiled",
// "naive")).
inline Claim only_where(std::function<bool(const LaunchContext&)> where, Claim claim) {
  claim.where = std::move(where);
  return claim;
}

// What a rung cannot do more of.
enum class LimitedBy {
  as_the_lesson_says,  // memory, or multiply-adds in float32
  memory,
  tensor_cores,  // three products in TF32 for each in float32
  host_link,     // copies to the device and back at once
};

// A case of `gpulab limits`: which part of the ceiling a lesson's top rung should reach at that size. The
// ceiling is measured in the same run, so that a target means the same on every GPU.
struct LimitCase {
  std::string label;     // "2^25, sorted"
  std::size_t size = 0;  // of a lesson with --size
  std::map<std::string, OptionValue> options = {};
  std::string rung;
  std::string yardstick = {};  // the variant that it stands beside
  double at_least = 0;         // 1 for all that the device was measured to do; 0 where that is no target
  double at_least_times = 0;   // as fast as the yardstick, where it is there; 0 where that is no target
  LimitedBy limited_by = LimitedBy::as_the_lesson_says;
  double bytes_copied = 0;  // each way, of a rung limited by the host's link
  std::string host_library =
      {};  // the call of a library that computes the same on the CPU, with the lesson's arguments
};

// How much faster several devices are than one.

// What the time of a problem is predicted from that is divided among devices: a fixed time, such as that of a
// launch; the rate at which each works; and what all do together at the end, by how many they are.
struct ScalingModel {
  double fixed_s = 0;
  double bytes_per_s = 0;
  std::map<int, double> together_s = {};  // none for 1

  // Throws std::out_of_range for a number of devices that nothing is known of.
  double predicted_s(int devices, double bytes) const {
    return fixed_s + bytes / devices / bytes_per_s + (devices > 1 ? together_s.at(devices) : 0);
  }

  // So many bytes take two devices as long as one: below that, one is faster.
  double crossover_bytes() const { return 2 * bytes_per_s * together_s.at(2); }
};

// Of devices that take so long together: how many times as fast as one of them, and which part of the best
// that can be.
constexpr double speed_up(double one_s, double all_s) {
  return one_s / all_s;
}
constexpr double parallel_efficiency(double one_s, double all_s, int devices) {
  return one_s / (all_s * devices);
}

// Of an all-reduce over so many devices, as nccl-tests defines them (doc/PERFORMANCE.md): bytes of the buffer
// over the time, and what each device's link carries of it, which a ring sends 2 (n - 1) / n times.
constexpr double algorithm_bandwidth(double bytes, double seconds) {
  return bytes / seconds;
}
constexpr double bus_bandwidth(double bytes, double seconds, int devices) {
  return algorithm_bandwidth(bytes, seconds) * 2 * (devices - 1) / devices;
}

// The block sizes (threads) that a variant can be launched with, and the one it is launched with unasked.
struct BlockSizes {
  unsigned threads = 256;
  unsigned multiple_of = 1;
  unsigned max = max_threads_per_block;
  bool power_of_two = false;

  bool allows(unsigned asked) const {
    return asked > 0 && asked <= max && asked % multiple_of == 0 &&
           (!power_of_two || std::has_single_bit(asked));
  }
};

// A block size that cannot be chosen: tiles, say, are part of the kernel's text.
constexpr BlockSizes only_blocks_of(unsigned threads) {
  return {.threads = threads, .multiple_of = threads, .max = threads};
}

// A __constant__ or __device__ variable of the kernel file that an input is copied to, before anything is
// timed.
struct Symbol {
  std::string name;
  AnyInput array;
};

// Where the host's copies of the arrays lie, for variants that copy them: in memory that the device can read
// by itself, or in memory that the driver has to copy once more.
enum class HostMemory { pageable, pinned };

// What a kernel asks of a GPU that not every one has, and the simulator never: instructions that only came
// with a compute capability. Those of an architecture's own set, such as wgmma in 9.0, went with it, too.
struct GpuNeed {
  int major = 0, minor = 0;
  bool only_there = false;       // later compute capabilities do not have it
  std::size_t shared_bytes = 0;  // of a block, static and dynamic; not every GPU lets a kernel have as much

  bool is_met_by(const DeviceProperties& device) const;
  std::string text() const;  // "a GPU of compute capability 8.0 or later"
};

// One way to compute the lesson's problem, one rung of the ladder: a kernel with its launch or, for more than
// that, steps.
struct Variant {
  std::string name;
  std::string kernel;  // the __global__ function; the main one, where there are several
  std::string idea;    // one line: what it does differently from the rung before
  LaunchShape launch = one_thread_per_element;
  Expectation expects = Outcome::right;
  bool races = false;  // on purpose: the simulator has to interrupt threads for it to show
  BlockSizes block = {};
  std::string source = {};   // its file in kernels/, when it is not the lesson's
  Arguments arguments = {};  // of the kernel, when they are not the lesson's
  std::vector<Symbol> symbols = {};
  // Everything it does, when that is not one launch of the kernel.
  std::function<void(Execution&)> steps = {};
  // Or everything that each of several ranks does, with its part of the problem.
  std::function<void(Execution&, Rank&)> on_each_rank = {};
  int ranks = 0;                  // how many of the devices that there are take part; 0 for all
  bool grows_with_ranks = false;  // where not all do, on a problem that is smaller by as much
  bool in_graph = false;  // all of that captured once, and launched as one graph where the device has graphs
  bool reaches_ranks = false;  // uses the memory or the events of other ranks, as ranks of one process can
  std::vector<AnyOutput> computes = {};      // the outputs it is judged by, when not all of them
  std::optional<std::size_t> max_size = {};  // it is run at that size when a larger one is asked for
  std::optional<GpuNeed> needs = {};         // cuda only
  // A yardstick: the library call that is made instead of any kernel, with the same arguments.
  std::string library = {};
  std::optional<Tolerance> tolerance = {};  // where it may be less exact than the lesson's kernels
  // A whole program, which prints what the lesson's ProgramTask says: exercises/LESSON/programs/NAME.cu. It
  // has no kernel of the lesson's, and the problem says only how large it is.
  bool is_program = false;
  // For a variant that copies its inputs itself: where the host has them. The device then has none before it.
  std::optional<HostMemory> copies_from = {};
};

// A lesson is one step of the workshop and one subcommand: what is computed (Problem), the ways to compute
// it (Variant), and what is said about them (Claim). It knows no device, no clock and no output format. This
// header is all that most lessons include.

// The most elements that a kernel may index with an int: threads past the end, and grid-stride loops, compute
// indices up to one stride (at most 2^21 resident threads) beyond the size, and those must not overflow.
constexpr std::size_t largest_int_index = (std::size_t{1} << 31) - (std::size_t{1} << 21);

// Where a lesson stands in the course: its episode and the step within it.
struct Place {
  int episode = 0;
  int step = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

// Whether a lesson is taught earlier. The course writes its first kernel in episode 6. A kernel for what it
// shows before that needs all that comes later, so it is taught last.
inline bool operator<(const Place& a, const Place& b) {
  constexpr int episode_of_first_kernel = 6;
  const auto rank = [](const Place& place) {
    return std::tuple(place.episode < episode_of_first_kernel, place.episode, place.step);
  };
  return rank(a) < rank(b);
}

// What a lesson shows of each variant, besides whether it is right and how long it takes.
struct Shows {
  bool registers = false;   // registers, local memory and spills per thread, as the GPU's compiler says
  bool timeline = false;    // what ran when in which stream
  bool copy_rates = false;  // GB/s of the copies in either direction
  // Of variants on several devices: speed-up, efficiency, and the time that was predicted, from what one
  // device takes and what this takes on all of them: the part of a variant that they do together.
  std::function<void(Execution&, Rank&)> scaling_with = {};
  std::vector<AccessMetric> accesses = {};  // what the simulator counts
};

struct Lesson {
  std::string name;  // the subcommand; left out: the name of the folder, with hyphens
  std::vector<std::string> aliases = {};
  std::string title;
  Place place;
  std::string page;              // the page of the course's documentation that it belongs to
  std::string text;              // what the step shows: lesson.txt
  std::string kernels;           // its file in kernels/; left out: the one with the name of the folder
  std::size_t default_size = 0;  // 0: it has no --size, its own options say how large the problem is
  std::size_t largest_size = largest_int_index;
  std::vector<Option> options = {};
  std::vector<std::string> sides = {};  // options that the square root of a size can stand for: "m", "n", "k"
  // Throws UsageError for settings that make no sense together, and for files that cannot be read.
  Problem (*problem)(const Settings& settings) = nullptr;
  Arguments arguments;  // of the kernels, but of those variants that say otherwise
  std::vector<Variant> variants;
  // Library calls that a user would pick instead, left out where the library is missing.
  std::vector<Variant> yardsticks = {};
  std::vector<Claim> claims = {};
  std::vector<LimitCase> limits = {};     // for `gpulab limits` on a GPU
  std::vector<LimitCase> simulated = {};  // and on the simulator: how fast kernels are there
  std::string solution;                   // the variant that a learner should arrive at; left out: the last
  // For a lesson without --size: options to check a learner's kernel with, first those at which most mistakes
  // show. For one with --size: counts, and a "size", to try at the end for a mistake that nothing small
  // shows.
  std::vector<std::map<std::string, OptionValue>> checked_at = {{}};
  Shows shows = {};
  QuestionSheet sheet = {};  // for a lesson without a kernel to write
  ProgramTask program = {};  // for one whose exercise, or whose variants, are whole programs

  // Throws std::logic_error, which names the lesson and the array, where two arrays or scalars of the problem
  // have one name, or where the lesson uses one that the problem does not have.
  void require_consistent(const Problem& problem) const;

  bool has_size() const { return default_size > 0; }
  // Whether it has variants for several devices.
  bool is_divided() const;
  bool is_called(const std::string& word) const;
  // The file in kernels/ that the variant's kernel is in.
  const std::string& file_of(const Variant& variant) const;
  // What the variant's kernel is called with.
  const Arguments& arguments_of(const Variant& variant) const;
  // What it is run with unasked.
  Settings default_settings() const;
};

// Every lesson of the program, in the order in which the course teaches them. The table behind it is
// generated at configure time from the folders in exercises/ (cmake/lessons.cmake): nothing registers itself.
std::vector<Lesson> all_lessons();

// The kernel files, and the programs of exercises/LESSON/programs/, as they were when the program was built,
// by file name.
struct EmbeddedFile {
  const char* name;
  const char* text;
};
const std::vector<EmbeddedFile>& embedded_kernels();

// The files of data/editors/, by file name: what `gpulab editor` writes.
const std::vector<EmbeddedFile>& embedded_editor_files();

// The text of exercises/LESSON/lesson.txt, by the name of the folder.
const char* embedded_lesson_text(std::string_view folder);

// The text of exercises/LESSON/demo.txt, by the name of the lesson; empty where it has none.
const char* embedded_demo_text(std::string_view lesson);

// A typical mistake, as a learner's file: exercises/LESSON/mistakes/NAME.cu, or NAME.txt for questions.
struct EmbeddedMistake {
  const char* exercise;
  const char* name;
  const char* text;
};
const std::vector<EmbeddedMistake>& embedded_mistakes();

// The text of data/recorded-figures.csv.
const char* embedded_recorded_figures();

// The texts of exercises/LESSON/starter.cu and hints.txt, by the name of the folder, and of solution.cu where
// a whole program is to be written; or of questions.txt, hints.txt and answers.txt. A program beside
// questions has program_hints.txt.
struct EmbeddedExercise {
  const char* folder;
  ExerciseKind kind;
  bool is_second;  // of its lesson, behind the questions
  const char* starter;
  const char* hints;
  const char* solution;  // empty for a kernel to write
};
const std::vector<EmbeddedExercise>& embedded_exercises();

// What there is to be done by a learner, in the order of the lessons.
std::vector<Exercise> all_exercises();

}  // namespace gpulab
