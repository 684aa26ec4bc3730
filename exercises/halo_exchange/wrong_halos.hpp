#pragma once

#include <cstddef>
#include <vector>

#include "lesson/problem.hpp"

namespace gpulab::lessons::halo_exchange {

// Image whose rows are divided among ranks, and the steps that convolve it.
struct DividedImage {
  std::size_t width = 0, height = 0, side = 0, steps = 0;
  int ranks = 1;
};

// Returns the output for each typical way to fill the halos with the wrong rows; none if nothing is
// exchanged.
std::vector<TypicalResult> wrong_halos(const DividedImage& divided);

}  // namespace gpulab::lessons::halo_exchange
