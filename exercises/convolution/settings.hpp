#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "convolution/border.hpp"
#include "convolution/filter.hpp"
#include "convolution/reference.hpp"
#include "lesson/problem.hpp"

namespace gpulab::lessons::convolution {

// Values of the lesson's options.
struct ConvolutionSettings {
  Frame frame;
  std::string image;          // "diracs", "random", or the name of the file
  std::vector<float> pixels;  // pixels of the file; empty for a generated image, which is in [-1, 1]
  Filter filter;
  std::optional<Separated> separated;
  Border border = Border::zero;
};

std::vector<Option> options();

// Fills the image of the course: 1 at every 16th pixel of every 16th row, from pixel 8 of row 8 on, and 0
// elsewhere. A convolution puts a copy of the filter at each of them.
void fill_dirac_grid(std::span<float> image, std::size_t width);

// Reads the files that the settings name. Throws UsageError if one cannot be read, if the image has more
// pixels than an int can count or some without a value, or if the filter is too large or of even size.
std::shared_ptr<const ConvolutionSettings> read_settings(const Settings& settings);

}  // namespace gpulab::lessons::convolution
