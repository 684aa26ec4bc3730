#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/arrays.hpp"

// What a problem's outputs should be, as a CPU computes them.

namespace gpulab {

using Reference = std::function<void(const Inputs& inputs, Outputs& outputs)>;

struct InputElement {
  AnyInput array;
  std::size_t index = 0;
};

// The few inputs that an output element is computed from.
using Uses = std::function<std::vector<InputElement>(std::size_t element)>;

struct References {
  Reference plain;   // the plain loop of the course, on one thread; empty where it is left out
  Reference openmp;  // the same result the way a CPU does it well, on all threads
  std::optional<double> operations_openmp = {};  // it does; left out: those of the traffic
  Uses uses = {};                                // left out where they are many
};

// The plain loop and the OpenMP loop over one formula of the index.
template <class T, class Formula, class... Ts>
References by_index(const Output<T>& output, Formula formula, const Input<Ts>&... from) {
  return {.plain =
              [=](const Inputs& inputs, Outputs& outputs) {
                const auto loop = [&](std::span<T> to, std::span<const Ts>... in) {
                  for (std::size_t i = 0; i < to.size(); ++i) to[i] = formula(i, in...);
                };
                loop(outputs[output], inputs[from]...);
              },
          .openmp =
              [=](const Inputs& inputs, Outputs& outputs) {
                const auto loop = [&](std::span<T> to, std::span<const Ts>... in) {
#pragma omp parallel for simd
                  for (std::size_t i = 0; i < to.size(); ++i) to[i] = formula(i, in...);
                };
                loop(outputs[output], inputs[from]...);
              }};
}

// The same where element i is computed from elements i: elementwise(C, [](float a, float b) { return a + b;
// }, A, B).
template <class T, class Formula, class... Ts>
References elementwise(const Output<T>& output, Formula formula, const Input<Ts>&... from) {
  References references = by_index(
      output, [formula](std::size_t i, std::span<const Ts>... in) { return formula(in[i]...); }, from...);
  references.uses = [=](std::size_t i) { return std::vector<InputElement>{{from, i}...}; };
  return references;
}

// References of one output each, one after the other.
inline References both(const References& one, const References& other) {
  const auto in_turn = [](const Reference& first, const Reference& second) {
    return [=](const Inputs& inputs, Outputs& outputs) {
      first(inputs, outputs);
      second(inputs, outputs);
    };
  };
  return {.plain = in_turn(one.plain, other.plain), .openmp = in_turn(one.openmp, other.openmp)};
}

}  // namespace gpulab
