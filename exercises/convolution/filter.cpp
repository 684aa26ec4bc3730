#include "convolution/filter.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "base/error.hpp"

namespace gpulab::lessons::convolution {
namespace {

void require_odd(std::size_t size, const std::string& what) {
  if (size % 2 == 0) throw UsageError(what + ", and has no pixel in its middle; take an odd number");
}

float number(const std::string& word, const std::string& where) {
  float value = 0;
  const char* end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stopped != end || !std::isfinite(value))
    throw UsageError(where + ": '" + word + "' is not a finite float32; a filter is rows of numbers");
  return value;
}

}  // namespace

Filter gaussian_filter(std::size_t width) {
  require_odd(width, "a filter of width " + std::to_string(width) + " is even");
  Filter filter{width, width, std::vector<float>(width * width)};
  const auto coordinate = [width](std::size_t i) {
    return width == 1 ? 0.0 : -2 + 4 * static_cast<double>(i) / static_cast<double>(width - 1);
  };
  for (std::size_t row = 0; row < width; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      const double x = coordinate(column), y = coordinate(row);
      filter.values[row * width + column] = static_cast<float>(std::exp(-(x * x + y * y) / 2));
    }
  }
  return filter;
}

Filter box_filter(std::size_t width) {
  require_odd(width, "a filter of width " + std::to_string(width) + " is even");
  const std::size_t area = width * width;
  return {width, width, std::vector<float>(area, 1 / static_cast<float>(area))};
}

namespace {

Filter ramp(std::size_t width, std::size_t height) {
  require_odd(width, "a filter of width " + std::to_string(width) + " is even");
  const std::size_t area = width * height;
  Filter filter{width, height, std::vector<float>(area)};
  for (std::size_t i = 0; i < area; ++i)
    filter.values[i] = static_cast<float>(i + 1) / static_cast<float>(area);
  return filter;
}

}  // namespace

Filter ramp_filter(std::size_t width) {
  return ramp(width, width);
}

Filter oblong_filter(std::size_t width) {
  return ramp(width, width > 2 ? width - 2 : width + 2);
}

Filter parse_filter(const std::string& text, const std::string& name) {
  Filter filter;
  std::istringstream lines(text);
  std::size_t line_number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++line_number;
    const std::string where = name + ", line " + std::to_string(line_number);
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    const std::size_t count_before = filter.values.size();
    for (std::string word; words >> word;) filter.values.push_back(number(word, where));
    const std::size_t width = filter.values.size() - count_before;
    if (width == 0) continue;
    if (filter.height > 0 && width != filter.width)
      throw UsageError(where + " has " + std::to_string(width) + " numbers, the rows before it " +
                       std::to_string(filter.width) + "; all rows of a filter are equally long");
    filter.width = width;
    ++filter.height;
  }
  if (filter.values.empty()) throw UsageError(name + " holds no numbers; a filter is rows of numbers");
  const std::string size = std::to_string(filter.width) + " x " + std::to_string(filter.height);
  require_odd(filter.width, "the filter in " + name + " is " + size + ", an even width");
  require_odd(filter.height, "the filter in " + name + " is " + size + ", an even height");
  return filter;
}

std::optional<Separated> separate(const Filter& filter) {
  const auto magnitude = [](float value) { return std::abs(value); };
  const auto largest = std::ranges::max_element(filter.values, {}, magnitude);
  const auto pivot = static_cast<std::size_t>(largest - filter.values.begin());
  const std::size_t pivot_row = pivot / filter.width, pivot_column = pivot % filter.width;
  Separated separated{std::vector<float>(filter.width), std::vector<float>(filter.height)};
  for (std::size_t i = 0; i < filter.width; ++i) separated.row[i] = filter.at(i, pivot_row);
  if (*largest == 0) return separated;
  for (std::size_t j = 0; j < filter.height; ++j) separated.column[j] = filter.at(pivot_column, j) / *largest;
  for (std::size_t j = 0; j < filter.height; ++j)
    for (std::size_t i = 0; i < filter.width; ++i)
      if (std::abs(filter.at(i, j) - separated.column[j] * separated.row[i]) > 0x1p-22f * std::abs(*largest))
        return std::nullopt;
  return separated;
}

}  // namespace gpulab::lessons::convolution
