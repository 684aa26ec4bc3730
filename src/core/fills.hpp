#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/arrays.hpp"
#include "core/random.hpp"

// How inputs are made. The same seed makes the same inputs, however many threads fill them.

namespace gpulab {

using Fill = std::function<void(Inputs& inputs, std::uint64_t seed)>;

// value(seed, i) for each element i.
template <class T, class Value>
Fill each_element(const Input<T>& input, Value value) {
  return [input, value](Inputs& inputs, std::uint64_t seed) {
    const std::span<T> elements = inputs[input];
#pragma omp parallel for
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = value(seed, i);
  };
}

// Random numbers in [low, low + width). Of several arrays each has a sequence of its own.
template <class... Handles>
Fill uniform_in(float low, float width, const Handles&... handles) {
  return [=](Inputs& inputs, std::uint64_t seed) {
    std::uint64_t sequence = sizeof...(handles) * seed;
    const auto fill = [&](const Input<float>& input) {
      each_element(input, [=](std::uint64_t of, std::size_t i) { return low + width * random_float(of, i); })(
          inputs, sequence++);
    };
    (fill(handles), ...);
  };
}

// In [0, 1).
template <class... Handles>
Fill uniform(const Handles&... handles) {
  return uniform_in(0, 1, handles...);
}

// In [-1, 1), so that long sums do not grow.
template <class... Handles>
Fill uniform_around_zero(const Handles&... handles) {
  return uniform_in(-1, 2, handles...);
}

}  // namespace gpulab
