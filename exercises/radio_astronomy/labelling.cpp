#include "radio_astronomy/labelling.hpp"

#include <algorithm>
#include <vector>

namespace gpulab::lessons::radio_astronomy {
namespace {

// Labels the component of one pixel by flood fill: a labelled pixel queues its neighbours without a label.
void flood(std::span<const std::uint8_t> mask, std::size_t width, std::size_t start, std::int32_t label,
           std::span<std::int32_t> labels) {
  std::vector<std::size_t> waiting;
  const auto reach = [&](std::size_t pixel) {
    if (!mask[pixel] || labels[pixel]) return;
    labels[pixel] = label;
    waiting.push_back(pixel);
  };
  reach(start);
  while (!waiting.empty()) {
    const std::size_t pixel = waiting.back();
    waiting.pop_back();
    const std::size_t x = pixel % width;
    if (x > 0) reach(pixel - 1);
    if (x + 1 < width) reach(pixel + 1);
    if (pixel >= width) reach(pixel - width);
    if (pixel + width < mask.size()) reach(pixel + width);
  }
}

}  // namespace

int label(std::span<const std::uint8_t> mask, std::size_t width, std::span<std::int32_t> labels) {
  std::ranges::fill(labels, 0);
  int count = 0;
  for (std::size_t pixel = 0; pixel < mask.size(); ++pixel)
    if (mask[pixel] && !labels[pixel]) flood(mask, width, pixel, ++count, labels);
  return count;
}

}  // namespace gpulab::lessons::radio_astronomy
