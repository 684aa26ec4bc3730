#pragma once

#include <cstddef>
#include <span>

namespace gpulab {

// Computes output[i] = the sum over j of taps[j] * source[i + j], in float32 and with the widest vectors of
// the CPU. The source has taps - 1 elements more than the output.
void correlate_row(const float* source, std::span<const float> taps, std::span<float> output);

// Computes the same with streaming stores, for a long output.
void correlate_row_past_caches(const float* source, std::span<const float> taps, std::span<float> output);

}  // namespace gpulab
