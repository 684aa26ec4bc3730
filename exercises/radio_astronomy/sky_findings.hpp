#pragma once

#include <vector>

#include "image/image.hpp"
#include "lesson/arrays.hpp"
#include "lesson/finding.hpp"
#include "radio_astronomy/measurement.hpp"

namespace gpulab::lessons::radio_astronomy {

// The catalogue that the outputs hold.
std::vector<Source> sources_in(const Outputs& outputs);

// How many sources and how much noise were found; the catalogue; and what there is to say about them and the
// image they were found in. Of that, only what was read from a file is looked at.
Findings sky_findings(const image::Image& image, const Inputs& inputs, const Outputs& outputs);

}  // namespace gpulab::lessons::radio_astronomy
