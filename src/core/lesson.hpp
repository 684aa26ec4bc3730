#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/access_metric.hpp"
#include "core/claim.hpp"
#include "core/limit.hpp"
#include "core/number_text.hpp"
#include "core/option.hpp"
#include "core/problem.hpp"
#include "core/question.hpp"
#include "core/settings.hpp"
#include "core/variant.hpp"

// A lesson is one step of the workshop and one subcommand: what is computed (Problem), the ways to compute
// it (Variant), and what is said about them (Claim). It knows no device, no clock and no output format. This
// header is all that most lessons include.

namespace gpulab {

// The most elements that a kernel may index with an int: threads past the end, and grid-stride loops, compute
// indices up to one stride (at most 2^21 resident threads) beyond the size, and those must not overflow.
constexpr std::size_t largest_int_index = (std::size_t{1} << 31) - (std::size_t{1} << 21);

// Where a lesson stands in the course: its episode and the step within it.
struct Place {
  int episode = 0;
  int step = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

// Whether a lesson is taught earlier. The course writes its first kernel in episode 6. A kernel for what it shows
// before that needs all that comes later, so it is taught last.
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
  // Throws UsageError for settings that make no sense together, and for files that cannot be read.
  Problem (*problem)(const Settings& settings) = nullptr;
  Arguments arguments;  // of the kernels, but of those variants that say otherwise
  std::vector<Variant> variants;
  // Library calls that a user would pick instead, left out where the library is missing.
  std::vector<Variant> yardsticks = {};
  std::vector<Claim> claims = {};
  std::vector<LimitCase> limits = {};  // for `gpulab bench --profile limits`
  std::string solution;                // the variant that a learner should arrive at; left out: the last
  // For a lesson without --size: options to check a learner's kernel with, first those at which most mistakes
  // show.
  std::vector<std::map<std::string, OptionValue>> checked_at = {{}};
  Shows shows = {};
  QuestionSheet sheet = {};  // for a lesson without a kernel to write

  // Throws std::logic_error, which names the lesson and the array, where two arrays or scalars of the problem
  // have one name, or where the lesson uses one that the problem does not have.
  void require_consistent(const Problem& problem) const;

  bool has_size() const { return default_size > 0; }
  bool is_called(const std::string& word) const;
  // The file in kernels/ that the variant's kernel is in.
  const std::string& file_of(const Variant& variant) const;
  // What the variant's kernel is called with.
  const Arguments& arguments_of(const Variant& variant) const;
  // What it is run with unasked.
  Settings default_settings() const;
};

}  // namespace gpulab
