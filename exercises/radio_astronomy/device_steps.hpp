#pragma once

#include "lesson/launch.hpp"

// Launches of the four steps, with the kernels of radio_astronomy.cu. Work items are pixels in x and y;
// blocks are whole warps.

namespace gpulab::lessons::radio_astronomy {

// Clips from "image" to "noise".
void clip_on_device(Execution& run);

// Clips in one launch of as many blocks as the device holds, which keep the pixels that fit into their shared
// memory.
void clip_on_chip(Execution& run);

// Runs all four steps: clipping in one launch, and the others with four pixels per thread. Blocks are whole
// warps.
void find_sources_on_chip(Execution& run);

// Run one step each, on the results of earlier steps or on those of the reference, the "known_" arrays.
enum class ReadsFrom { earlier_steps, reference };

void segment_on_device(Execution& run, ReadsFrom source);  // writes "mask"
void label_on_device(Execution& run, ReadsFrom source);    // writes "labels"
void measure_on_device(Execution& run, ReadsFrom source);  // writes "x", "y", "flux", "peak", "pixels"

}  // namespace gpulab::lessons::radio_astronomy
