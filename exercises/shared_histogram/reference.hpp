#pragma once

#include <span>

namespace gpulab::lessons::shared_histogram {

constexpr int bins = 256;

// counts[bin] = how many elements of input equal bin; all lie in [0, bins), and counts has as many elements.
void count(std::span<const int> input, std::span<int> counts);

// The same on all threads. Each has several tables that it fills in turn, because a CPU that counts the same
// bin twice in a row has to wait for its own last store: the time would depend on the input.
void count_openmp(std::span<const int> input, std::span<int> counts);

}  // namespace gpulab::lessons::shared_histogram
