#pragma once

#include "lesson/launch.hpp"

// The four steps on the device: which kernels of radio_astronomy.cu are launched, and in which order. Work
// items are pixels in x and y; blocks are whole warps.

namespace gpulab::lessons::radio_astronomy {

// From "image" to "noise".
void clip_on_device(Execution& run);

// The same in one launch, of as many blocks as the device holds. Those keep what fits into their shared
// memory.
void clip_on_chip(Execution& run);

// All four steps: that, and the others with four pixels to a thread. Blocks are whole warps.
void find_sources_on_chip(Execution& run);

// From "image", "noise" and "mask" on; "known_" arrays are read in place of results of earlier steps.
enum class Uses { results, known };

void segment_on_device(Execution& run, Uses uses);  // to "mask"
void label_on_device(Execution& run, Uses uses);    // to "labels"
void measure_on_device(Execution& run, Uses uses);  // to "x", "y", "flux", "peak", "pixels"

}  // namespace gpulab::lessons::radio_astronomy
