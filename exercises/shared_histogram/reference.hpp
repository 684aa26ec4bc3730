#pragma once

#include <span>

namespace gpulab::lessons::shared_histogram {

constexpr int bins = 256;

// Sets counts[bin] to the number of elements that equal bin; all lie in [0, bins), and counts has `bins`
// elements.
void count(std::span<const int> input, std::span<int> counts);

// Counts on all threads. Each fills several tables in turn, because a CPU that counts the same bin twice in a
// row waits for its own last store, and the time would depend on the input.
void count_openmp(std::span<const int> input, std::span<int> counts);

}  // namespace gpulab::lessons::shared_histogram
