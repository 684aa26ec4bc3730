#include "shared_histogram/reference.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gpulab::lessons::shared_histogram {
namespace {

constexpr std::size_t tables = 8;

// Length of a table, not a multiple of 4096 bytes (4 KiB aliasing): a CPU compares only the last 12 bits of
// addresses before a load overtakes a store, and would take two tables for the same place.
constexpr std::size_t table_length = bins + 16;

// Distance of the prefetch, in elements: a CPU that is busy with stores does not look so far ahead.
constexpr std::size_t prefetch_distance = 2048;

using Tables = std::uint32_t[tables][table_length];

// Counts a piece. Updates of counters limit the speed, which elements in the first-level cache hardly raise.
void count_piece(const int* input, std::size_t size, Tables& counts) {
  std::size_t i = 0;
  for (; i + tables <= size; i += tables) {
    __builtin_prefetch(input + i + prefetch_distance);
    for (std::size_t table = 0; table < tables; ++table)
      ++counts[table][static_cast<std::uint32_t>(input[i + table])];
  }
  for (; i < size; ++i) ++counts[0][static_cast<std::uint32_t>(input[i])];
}

}  // namespace

void count(std::span<const int> input, std::span<int> counts) {
  std::ranges::fill(counts, 0);
  for (const int item : input) counts[static_cast<std::size_t>(item)] += 1;
}

void count_openmp(std::span<const int> input, std::span<int> counts) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::ranges::fill(counts, 0);
#pragma omp parallel
  {
    Tables own{};
#pragma omp for schedule(static) nowait
    for (std::size_t first = 0; first < input.size(); first += piece)
      count_piece(&input[first], std::min(piece, input.size() - first), own);
#pragma omp critical
    for (const auto& table : own)
      for (std::size_t bin = 0; bin < counts.size(); ++bin) counts[bin] += static_cast<int>(table[bin]);
  }
}

}  // namespace gpulab::lessons::shared_histogram
