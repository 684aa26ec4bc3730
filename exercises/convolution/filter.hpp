#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpulab::lessons::convolution {

// What an image is convolved with: an odd number of rows and of columns, row after row.
struct Filter {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<float> values;

  float at(std::size_t column, std::size_t row) const { return values[row * width + column]; }
};

// exp(-(x^2 + y^2) / 2) at width x width points from -2 to 2, not normalised, as the course makes it. One
// point alone is the centre. Throws UsageError when the width is even.
Filter gaussian_filter(std::size_t width);

// The mean of width x width pixels. Throws UsageError when the width is even.
Filter box_filter(std::size_t width);

// Elements that grow along the rows and from row to row, to at most 1: but for the middle, turned round it
// has another in every place. Throws UsageError when the width is even.
Filter ramp_filter(std::size_t width);

// The same with two rows fewer than columns; with three rows of one. Throws UsageError when the width is
// even.
Filter oblong_filter(std::size_t width);

// Rows of numbers, separated by blanks or commas; name is that of the file, for messages. Throws UsageError
// for a file without numbers, rows of different lengths, an even number of rows or columns, and what is no
// finite number.
Filter parse_filter(const std::string& text, const std::string& name);

// A column times a row.
struct Separated {
  std::vector<float> row, column;
};

// The row and the column whose product is the filter, if there are any: no element may differ from it by more
// than 2^-22 of the largest one, which is what rounding does to a product of three floats.
std::optional<Separated> separate(const Filter& filter);

}  // namespace gpulab::lessons::convolution
