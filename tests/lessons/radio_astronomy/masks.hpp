#pragma once

#include "lesson/arrays.hpp"
#include "test.hpp"

namespace gpulab::lessons::radio_astronomy {

struct Mask {
  std::size_t width = 0;
  std::vector<std::uint8_t> pixels;
};

// Reads a drawing row by row: '#' is in the mask, anything else is not.
inline Mask mask_of(std::string_view drawing, std::size_t width) {
  Mask mask{width, {}};
  for (const char pixel : drawing) mask.pixels.push_back(pixel == '#');
  return mask;
}

// Returns a mask of one component; each pass over the rows and columns sees only a part of it.
inline Mask spiral() {
  return mask_of(
      "#######"
      "......######.##...#.##.#.#.##.###.##.....########",
      7);
}

// Returns a mask with the largest possible number of components.
inline Mask checkerboard(std::size_t width, std::size_t height) {
  Mask mask{width, std::vector<std::uint8_t>(width * height)};
  for (std::size_t i = 0; i < mask.pixels.size(); ++i) mask.pixels[i] = (i % width + i / width) % 2 == 0;
  return mask;
}

// Draws labels as digits, background as dots.
inline std::string drawn(const std::vector<std::int32_t>& labels) {
  std::string drawing;
  for (const std::int32_t label : labels) drawing += label == 0 ? '.' : static_cast<char>('0' + label);
  return drawing;
}

// Returns a mask of about `percent` of the pixels, at random; near 59 the largest components reach from edge
// to edge.
inline Mask random_mask(std::size_t width, std::size_t height, unsigned percent, std::uint64_t seed) {
  Mask mask{width, std::vector<std::uint8_t>(width * height)};
  for (std::size_t i = 0; i < mask.pixels.size(); ++i) mask.pixels[i] = random_bits(seed, i) % 100 < percent;
  return mask;
}

}  // namespace gpulab::lessons::radio_astronomy
