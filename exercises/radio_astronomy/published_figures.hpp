#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "radio_astronomy/measurement.hpp"

namespace gpulab::lessons::radio_astronomy {

// What the course prints for its own image.
struct Figures {
  double maximum = 0;  // of all pixels
  double sigma = 0;    // after clipping
  int sources = 0;
  double brightest = 0;  // flux
};

Figures figures_of(double maximum, double sigma, const std::vector<Source>& sources);

// Whether the file is the image of the course, GMRT_image_of_Galactic_Center.fits: by the hash that git gives
// it.
bool is_image_of_course(const std::filesystem::path& file);

// A sentence that says whether the figures are those that the course publishes, to the digits that it prints,
// and which are not.
std::string compared_with_course(const Figures& figures);

}  // namespace gpulab::lessons::radio_astronomy
