#pragma once

#include <vector>

#include "image/image.hpp"
#include "lesson/arrays.hpp"
#include "lesson/finding.hpp"
#include "radio_astronomy/measurement.hpp"

namespace gpulab::lessons::radio_astronomy {

// Returns the catalogue that the outputs hold.
std::vector<Source> sources_in(const Outputs& outputs);

// Returns the number of sources and the noise; the catalogue; and remarks on both and on the image. `image`
// gives the unit, the blanks and the file's name.
Findings sky_findings(const image::Image& image, const Inputs& inputs, const Outputs& outputs);

}  // namespace gpulab::lessons::radio_astronomy
