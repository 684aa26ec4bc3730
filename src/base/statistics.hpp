#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace gpulab {

// Returns the middle sample, or the mean of the two middle ones. Throws std::logic_error if there are none.
double median(std::vector<double> samples);

// Positions in the sorted samples, counted from 1.
struct MedianRanks {
  std::size_t low = 0;
  std::size_t high = 0;
  friend bool operator==(const MedianRanks&, const MedianRanks&) = default;
};

// Returns the narrowest symmetric ranks that contain the true median with a probability of at least 95 %, for
// any distribution: the number of samples below the true median is binomial(count, 1/2), so [l, count + 1 -
// l] misses it with probability 2 P(B <= l - 1). None below six samples. (H. A. David, H. N. Nagaraja, Order
// Statistics, 3rd ed., section 7.1.)
std::optional<MedianRanks> median_ranks(std::size_t count);

}  // namespace gpulab
