#pragma once

#include "lesson/problem.hpp"

namespace gpulab::lessons::radio_astronomy {

// Returns the problem: the sources of the image that --input names, or of a synthetic one of --width x
// --height pixels. Throws UsageError if the image cannot be read, has no value at all, or has more pixels
// than a kernel can index.
Problem sky_problem(const Settings& settings);

}  // namespace gpulab::lessons::radio_astronomy
