#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/arrays.hpp"
#include "lesson/problem.hpp"
#include "run/validate/comparison.hpp"
#include "run/validate/evidence.hpp"

namespace gpulab::run::validate {

// One line that says what went wrong: how much, where, whose work it was, and the pattern it fits. It claims
// no more than the memory shows.

struct Explanation {
  std::string pattern;  // "unwritten-tail"; "wrong-values" when nothing better fits
  std::string text;     // the line
};

// The comparison is that of actual with expected, and found a difference. Throws std::logic_error when there
// is nothing to explain.
//   "1 024 of 2 048 unwritten, from C[1024] on: no thread has that index (1 block of 1024 threads)"
Explanation explain_difference(const Comparison& comparison, const Array& actual, const Array& expected,
                               const WorkItems& items);

// length: elements of the array that the guard zones lie around.
//   "wrote 240 elements past the end of C (length 10 000), first C[10000] by block 9 thread 784"
std::string explain_guard_hit(const GuardHit& hit, const std::string& array, std::size_t length,
                              ElementType type, const WorkItems& items);

// What the places of the wrong elements have in common: ", all in the last row", ", all with an odd index".
// Empty when they lie anywhere.
std::string where_wrong(const Evidence& evidence);

// A way to be wrong that can be recognised. detect returns the line that tells of it, or nothing when the
// evidence does not fit; the line claims no cause beyond "consistent with".
struct Pattern {
  std::string_view name;
  std::optional<std::string> (*detect)(const Evidence& evidence);
};

// Elements that no thread wrote: which ones are missing tells of the index or the bounds check.
std::span<const Pattern> unwritten_patterns();

// Elements that were written with the wrong value.
std::span<const Pattern> value_patterns();

// Lines for results whose wrong elements hold right values of other elements. There are none where a wrong
// value could be one of the right ones by chance: where these lie close together, or are often the same.

// All of them hold what one and the same element should.
std::optional<std::string> repeated_value(const Evidence& evidence);
// Each of them holds what some other element should.
std::optional<std::string> misplaced_values(const Evidence& evidence);

// What the problem would ask for with another of the lesson's options.
struct OtherResult {
  std::string option;  // "--border clamp"
  Reference compute;
};

// A wrong result, and all that is needed to compute what may have come out instead.
struct Candidates {
  const Problem& problem;
  const Inputs& inputs;
  std::size_t output = 0;  // which of the outputs
  const Array& actual;
  const Array& expected;
  const Comparison& comparison;
  const WorkItems& items;
  std::vector<OtherResult> others = {};
  double work = 0;  // of computing the result once
};

// The computed candidate that the wrong elements are equal to: another option's result, a factor, another
// formula, a sum that lacks something, an input read at another index. Nothing where none fits.
std::optional<Explanation> explain_by_candidates(const Candidates& of);

}  // namespace gpulab::run::validate
