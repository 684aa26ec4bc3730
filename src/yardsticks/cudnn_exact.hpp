#pragma once

#include <cstdint>
#include <vector>

#include "yardsticks/cudnn_trial.hpp"

namespace gpulab::yardsticks {

// Returns at most `count` engines that convolve such an image fastest and are as exact as float32, whether or
// not heuristics propose them. cuDNN's notes do not tell: an engine on tensor cores may multiply in TF32, or
// split each float32 into parts. So each one is tried on the upper rows, on numbers that need all bits of a
// float32.
std::vector<std::int64_t> fastest_as_exact_as_float32(const Handle& handle, cudaStream_t stream,
                                                      ConvolvedImage image, std::size_t count);

}  // namespace gpulab::yardsticks
