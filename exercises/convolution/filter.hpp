#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpulab::lessons::convolution {

// Filter with an odd number of rows and of columns, row-major.
struct Filter {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<float> values;

  float at(std::size_t column, std::size_t row) const { return values[row * width + column]; }
};

// Returns exp(-(x^2 + y^2) / 2) at width x width points from -2 to 2, not normalised, as the course makes it.
// A single point is the centre. Throws UsageError if the width is even.
Filter gaussian_filter(std::size_t width);

// Returns the mean of width x width pixels. Throws UsageError if the width is even.
Filter box_filter(std::size_t width);

// Returns elements that grow along the rows and from row to row, up to 1: flipping changes all but the middle
// one. Throws UsageError if the width is even.
Filter ramp_filter(std::size_t width);

// Returns a ramp with two rows fewer than columns, or three rows for one column. Throws UsageError if the
// width is even.
Filter oblong_filter(std::size_t width);

// Parses rows of numbers, separated by blanks or commas; `name` is the file's, for messages. Throws
// UsageError for a file without numbers, rows of different lengths, an even number of rows or columns, or
// anything that is not a finite number.
Filter parse_filter(const std::string& text, const std::string& name);

// Factors of a separable filter: a column times a row.
struct Separated {
  std::vector<float> row, column;
};

// Returns the row and the column whose product is the filter, if there are any. No element may differ from
// the product by more than 2^-22 of the largest element, the rounding of a product of three floats.
std::optional<Separated> separate(const Filter& filter);

}  // namespace gpulab::lessons::convolution
