#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/arrays.hpp"

namespace gpulab {

// 64 random bits for one place in a sequence: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) at the index-th
// step. Every element can be computed by itself, so inputs are the same however many threads fill them.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform in [0, 1), a multiple of 2^-24.
constexpr float random_float(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(random_bits(seed, index) >> 40) * 0x1p-24f;
}

// How inputs are made. The same seed makes the same inputs, however many threads fill them.

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
