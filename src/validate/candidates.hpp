#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "validate/evidence.hpp"
#include "validate/explanation.hpp"

namespace gpulab::validate {

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

// The computed candidate that the wrong elements are equal to: another option's result, a factor, another formula, a
// sum that lacks something, an input read at another index. Nothing where none fits.
std::optional<Explanation> explain_by_candidates(const Candidates& of);

}  // namespace gpulab::validate
