#pragma once

#include <cstdint>

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

}  // namespace gpulab
