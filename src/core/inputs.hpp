#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

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
#pragma omp parallel for if (elements.size() >= worth_threads)
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

// One element in four, at random, becomes one of these.
inline Fill with_edges(const std::vector<Input<float>>& handles, const std::vector<float>& values) {
  return [=](Inputs& inputs, std::uint64_t seed) {
    for (std::size_t array = 0; array < handles.size(); ++array) {
      const std::span<float> elements = inputs[handles[array]];
      for (std::size_t i = 0; i < elements.size(); ++i)
        if (const std::uint64_t bits = random_bits(~seed - array, i); bits % 4 == 0)
          elements[i] = values[bits / 4 % values.size()];
    }
  };
}

// Zeros, ones, and the smallest numbers, denormal and normal, all of both signs.
inline const std::vector<float> edges_up_to_one{0.0f,      -0.0f,      1,         -1,
                                                0x1p-149f, -0x1p-149f, 0x1p-126f, -0x1p-126f,
                                                0x1p-11f,  -0.5f,      0.75f,     -0x1.fffffep-1f};

// The same, up to the largest: for kernels that round each result once.
inline const std::vector<float> edges_of_floats = [] {
  std::vector<float> all = edges_up_to_one;
  all.insert(all.end(), {0x1.fffffep127f, -0x1.fffffep127f, 0x1p24f + 2, -1e30f, 65504.5f, -2.5f});
  return all;
}();

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
