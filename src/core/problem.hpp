#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/arrays.hpp"
#include "core/extent.hpp"
#include "core/findings.hpp"
#include "core/parameters.hpp"
#include "core/tolerance.hpp"

namespace gpulab {

// The least that any kernel must move through the device's memory, and the arithmetic it must do.
struct Traffic {
  double bytes_read = 0;
  double bytes_written = 0;
  double operations = 0;               // floating-point, additions and multiplications counted one each
  bool limited_by_operations = false;  // so GFLOP/s tell more than GB/s
};

using Reference = std::function<void(const Arrays& inputs, Arrays& outputs)>;

// Makes the content of the file that the option of that name asks for.
struct ArtifactMaker {
  std::string option;
  std::function<std::string(const Arrays& inputs, const Arrays& outputs)> content;
};

struct InputElement {
  std::string array;
  std::size_t index = 0;
};

// What comes out for somebody who has not understood one thing, to be told from any other wrong result.
struct TypicalResult {
  std::string pattern;      // "filter-not-turned"
  std::string explanation;  // "every element is what a correlation gives: consistent with ..."
  Reference result;
};

// What is computed: inputs, CPU references, the traffic it must cause, the tolerance.
struct Problem {
  std::string description;  // "33 554 432 int32 in 256 bins, uniform"
  Parameters parameters;    // of the kernel that a learner writes; its outputs are what is compared
  std::vector<Parameter> others = {};  // further inputs, outputs and scratch, which some variants use
  std::optional<Extent> work = {};     // work items; left out: --size of them, in x
  std::function<void(Arrays& inputs, std::uint64_t seed)> fill;
  Reference reference;         // the plain loop of the course, on one thread; empty where it is left out
  Reference reference_openmp;  // the same result the way a CPU does it well, on all threads
  std::optional<double> operations_openmp = {};  // it does; left out: those of the traffic
  Traffic traffic;
  Tolerance tolerance = exact;
  std::string element = "element";  // what one element of the output is called: "bin"
  // Which work item is the first to add to an output element, if any is; without it, item i writes element i.
  std::function<std::optional<std::size_t>(const Arrays& inputs, std::size_t element)> first_item = {};
  std::vector<TypicalResult> typically_wrong = {};
  // The few inputs that an output element is computed from; left out where they are many.
  std::function<std::vector<InputElement>(std::size_t element)> uses = {};
  // What else the outputs of a variant show. It is asked for every variant that came out right.
  std::function<Findings(const Arrays& inputs, const Arrays& outputs)> findings = {};
  std::vector<ArtifactMaker> artifacts = {};
  // The arrays that have to be copied for the whole problem; left out: those of the parameters.
  std::vector<std::string> copied = {};

  // Every array there is: the parameters' and the others.
  std::vector<Parameter> arrays() const;
  // Whether an end-to-end run has to copy the array.
  bool copies(const std::string& array) const;
};

template <class... Ts>
std::vector<Parameter> other_arrays(TypedParameter<Ts>... typed) {
  return {std::move(typed.parameter)...};
}

}  // namespace gpulab
