#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "convolution/border.hpp"
#include "convolution/filter.hpp"
#include "convolution/reference.hpp"
#include "lesson/problem.hpp"

namespace gpulab::lessons::convolution {

// What the options of the lesson ask for.
struct Asked {
  Frame frame;
  std::string image;          // "diracs", "random", or the name of the file
  std::vector<float> pixels;  // of the file; empty for an image that is made, whose pixels are in [-1, 1]
  Filter filter;
  std::optional<Separated> separated;
  Border border = Border::zero;
};

std::vector<Option> options();

// Reads the files that the settings name. Throws UsageError when one cannot be read, when the image has more
// pixels than an int can count or some without a value, and for a filter of even or too large a size.
std::shared_ptr<const Asked> read_asked(const Settings& settings);

}  // namespace gpulab::lessons::convolution
