#pragma once

#include <cstddef>
#include <vector>

#include "lesson/problem.hpp"

namespace gpulab::lessons::halo_exchange {

// An image whose rows are divided, and what is done with it.
struct DividedImage {
  std::size_t width = 0, height = 0, side = 0, steps = 0;
  int ranks = 1;
};

// The output where the halos hold other rows than they should, for each typical way to take the wrong ones.
// None where nothing is exchanged.
std::vector<TypicalResult> wrong_halos(const DividedImage& divided);

}  // namespace gpulab::lessons::halo_exchange
