#pragma once

#include <cstddef>
#include <cstdint>

#include "core/parameters.hpp"

namespace gpulab::radio {

// How many sources the catalogue has room for; those after them are labelled, but not measured.
constexpr std::size_t catalogue_rows = 65536;

// Blocks that add up the distances from the median, at most.
constexpr unsigned most_partials = 4096;

// The arrays of the lesson, for an image of so many pixels. What is known is there from the start, so that
// every step can be tried alone; results are compared with the reference; the others are the kernels' own.
struct SkyArrays {
  std::size_t pixels = 0;

  auto image() const { return input<float>("image", pixels); }
  auto known_noise() const { return input<double>("known_noise", 3); }
  auto known_mask() const { return input<std::uint8_t>("known_mask", pixels); }
  auto known_labels() const { return input<std::int32_t>("known_labels", pixels); }

  auto noise() const { return output<double>("noise", 3); }  // median, sigma, values kept
  auto mask() const { return output<std::uint8_t>("mask", pixels); }
  auto labels() const { return output<std::int32_t>("labels", pixels); }

  // The catalogue; row i is the source with label i + 1.
  auto x() const { return cleared_output<double>("x", catalogue_rows); }
  auto y() const { return cleared_output<double>("y", catalogue_rows); }
  auto flux() const { return cleared_output<double>("flux", catalogue_rows); }
  auto peak() const { return cleared_output<float>("peak", catalogue_rows); }
  auto source_pixels() const { return cleared_output<std::int32_t>("pixels", catalogue_rows); }

  // Of clipping: the interval that is kept; for each of the two middle values the counts of 256 digits, the
  // digits found so far, and how many values of them come before it; three sums of every block.
  auto bounds() const { return scratch<double>("bounds", 2); }
  auto counts() const { return scratch<std::uint32_t>("counts", std::size_t{2} * 256); }
  auto keys() const { return scratch<std::uint32_t>("keys", 2); }
  auto ranks() const { return scratch<std::uint32_t>("ranks", 2); }
  auto partials() const { return scratch<double>("partials", std::size_t{3} * most_partials); }

  // Of labelling: the pixel that each points to; the sources that begin in each block, and before it. A block
  // has at least 32 threads.
  auto parents() const { return scratch<std::int32_t>("parents", pixels); }
  auto block_roots() const { return scratch<std::int32_t>("block_roots", pixels / 32 + 1); }
  auto roots_before() const { return scratch<std::int32_t>("roots_before", pixels / 32 + 2); }
};

}  // namespace gpulab::radio
