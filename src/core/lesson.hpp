#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/access_counts.hpp"
#include "core/arguments.hpp"
#include "core/claim.hpp"
#include "core/device_properties.hpp"
#include "core/execution.hpp"
#include "core/exercise.hpp"
#include "core/launch.hpp"
#include "core/options.hpp"
#include "core/outcome.hpp"
#include "core/problem.hpp"
#include "core/rank.hpp"
#include "core/text.hpp"

namespace gpulab {

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

}  // namespace gpulab
