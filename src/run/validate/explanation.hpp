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

// What went wrong: how much, where, whose work it was, and the pattern it fits.

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

// How much the pattern of a wrong result says of why it is wrong.
enum class Telling {
  little,    // that it is wrong: anything that can be computed and compared says more
  where,     // where it is wrong, or that all of it is
  kind,      // in which way it is wrong
  computed,  // what it is equal to
};

// Of patterns of results; those of a lesson's typical mistakes tell the kind, unless they have a name of
// these.
Telling telling_of(std::string_view pattern);

// A way to be wrong that can be recognised. detect returns what tells of it, or nothing when the evidence
// does not fit; it claims no cause, and at most a guess.
struct Pattern {
  std::string_view name;
  std::optional<Explanation> (*detect)(const Evidence& evidence);
};

// Elements that no thread wrote: which ones are missing tells of the index or the bounds check.
std::span<const Pattern> unwritten_patterns();

// Elements that were written with the wrong value.
std::span<const Pattern> value_patterns();

// What tells of results whose wrong elements hold right values of other elements. There are none where a
// wrong value could be one of the right ones by chance: where these lie close together, or are often the
// same.

// All of them hold what one and the same element should.
std::optional<Explanation> repeated_value(const Evidence& evidence);
// Each of them holds what some other element should.
std::optional<Explanation> misplaced_values(const Evidence& evidence);

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
