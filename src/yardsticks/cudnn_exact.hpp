#pragma once

#include <cstdint>
#include <vector>

#include "yardsticks/cudnn_trial.hpp"

namespace gpulab::yardsticks {

// The engines, at most so many, that convolve such an image fastest among those that are as exact as float32,
// whether or not heuristics propose them. cuDNN's notes do not tell: an engine on tensor cores may multiply
// in TF32, or split each float32 into parts. So each one is tried on numbers that need all bits of a float32,
// on the upper rows.
std::vector<std::int64_t> fastest_as_exact_as_float32(const Handle& handle, cudaStream_t stream,
                                                      ConvolvedImage image, std::size_t count);

}  // namespace gpulab::yardsticks
