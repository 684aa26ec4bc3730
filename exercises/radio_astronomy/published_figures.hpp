#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "radio_astronomy/measurement.hpp"

namespace gpulab::lessons::radio_astronomy {

// Figures that the course prints for its own image.
struct Figures {
  double maximum = 0;  // largest pixel
  double sigma = 0;    // after clipping
  int sources = 0;
  double brightest = 0;  // flux
};

Figures figures_of(double maximum, double sigma, const std::vector<Source>& sources);

// Returns whether the file is the image of the course, GMRT_image_of_Galactic_Center.fits: by its git hash.
bool is_image_of_course(const std::filesystem::path& file);

// Returns a sentence that says which figures agree with those of the course, to the digits that it prints,
// and which do not.
std::string compared_with_course(const Figures& figures);

}  // namespace gpulab::lessons::radio_astronomy
