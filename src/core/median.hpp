#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace gpulab {

// Of an odd number the one in the middle, of an even number the mean of the two. Throws std::logic_error when
// there are none.
double median(std::vector<double> samples);

// Positions in the sorted samples, counted from 1.
struct Ranks {
  std::size_t low = 0;
  std::size_t high = 0;
  friend bool operator==(const Ranks&, const Ranks&) = default;
};

// The narrowest symmetric ranks between which the true median lies with a probability of at least 95 %,
// whatever the distribution: the number of samples below the true median is binomial(count, 1/2), so
// [l, count + 1 - l] misses it with probability 2 P(B <= l - 1). None below six samples. (H. A. David,
// H. N. Nagaraja, Order Statistics, 3rd ed., section 7.1.)
std::optional<Ranks> median_ranks(std::size_t count);

}  // namespace gpulab
