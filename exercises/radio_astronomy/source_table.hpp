#pragma once

#include <string>
#include <vector>

#include "lesson/finding.hpp"
#include "radio_astronomy/measurement.hpp"

namespace gpulab::lessons::radio_astronomy {

// Returns a table with a row for each source, in the order of the labels: label, x, y, flux, peak, pixels.
// The unit is that of the image.
Records source_records(const std::vector<Source>& sources, const std::string& unit);

// Returns the same as comma-separated values under a header, with enough digits to read back the same
// numbers.
std::string source_csv(const std::vector<Source>& sources);

}  // namespace gpulab::lessons::radio_astronomy
