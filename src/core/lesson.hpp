#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/arrays.hpp"
#include "core/launch.hpp"
#include "core/outcome.hpp"
#include "core/parameters.hpp"

// A lesson is one step of the workshop and one subcommand: what is computed (Problem), the ways to compute
// it (Variant), and what is said about them (Claim). It knows no device, no clock and no output format.

namespace gpulab {

// An option that only this lesson has: --distribution uniform|one-bin|sorted. The first choice is the
// default.
struct Option {
  std::string name;
  std::string help;
  std::vector<std::string> choices;
};

// What the user asked for.
struct Settings {
  std::size_t size = 0;  // elements
  std::uint64_t seed = 42;
  std::map<std::string, std::string> choices;  // of the lesson's own options

  const std::string& choice(const std::string& option) const { return choices.at(option); }
};

// |actual - expected| <= absolute + relative * |expected| is right, anything else is wrong.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

constexpr Tolerance exact{};

// The least that any kernel must move through the device's memory, and the arithmetic it must do.
struct Traffic {
  double bytes_read = 0;
  double bytes_written = 0;
  double operations = 0;  // floating-point, additions and multiplications counted one each
};

using Reference = std::function<void(const Arrays& inputs, Arrays& outputs)>;

struct Problem {
  std::string description;  // "33 554 432 int32 in 256 bins, uniform"
  Parameters parameters;
  std::function<void(Arrays& inputs, std::uint64_t seed)> fill;
  Reference reference;         // the plain loop of the course, on one thread
  Reference reference_openmp;  // the same result the way a CPU does it well, on all threads
  Traffic traffic;
  Tolerance tolerance = exact;
  std::string element = "element";  // what one element of the output is called: "bin"
  // Which work item is the first to add to an output element, if any is; without it, item i writes element i.
  std::function<std::optional<std::size_t>(const Arrays& inputs, std::size_t element)> first_item = {};
};

// The block sizes (threads) that a variant can be launched with, and the one it is launched with unasked.
struct BlockSizes {
  unsigned usual = 256;
  unsigned multiple_of = 1;
  unsigned most = max_threads_per_block;
};

// One way to compute the lesson's problem: a kernel with its launch, one rung of the ladder.
struct Variant {
  std::string name;
  std::string kernel;  // the __global__ function
  std::string idea;    // one line: what it does differently from the rung before
  LaunchShape launch = one_thread_per_element;
  Statement states = Outcome::right;
  bool races = false;  // on purpose: the simulator has to interrupt threads for it to show
  BlockSizes block = {};
  std::string source = {};  // its file in kernels/, when it is not the lesson's
};

// What the lesson says about the speed of two variants: faster is at least ratio times as fast as slower.
struct Claim {
  double ratio = 1;
  std::string faster;
  std::string slower;
};

inline Claim at_least(double ratio, std::string faster, std::string slower) {
  return {ratio, std::move(faster), std::move(slower)};
}

// Where a lesson stands in the course: its episode and the step within it.
struct Place {
  int episode = 0;
  int step = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Lesson {
  std::string name;  // the subcommand
  std::vector<std::string> aliases = {};
  std::string title;
  Place place;
  std::string page;     // the page of the course's documentation that it belongs to
  std::string text;     // what the step shows, in at most fifteen lines
  std::string kernels;  // its file in kernels/
  std::size_t default_size = 0;
  std::size_t largest_size = 0;
  std::vector<Option> options = {};
  Problem (*problem)(const Settings& settings) = nullptr;
  std::vector<Variant> variants;
  std::vector<Claim> claims = {};
  std::string solution;  // the variant that a learner should arrive at
};

// The most elements that a kernel may index with an int: threads past the end, and grid-stride loops, compute
// indices up to one stride (at most 2^21 resident threads) beyond the size, and those must not overflow.
constexpr std::size_t largest_int_index = (std::size_t{1} << 31) - (std::size_t{1} << 21);

}  // namespace gpulab
