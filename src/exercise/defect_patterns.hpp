#pragma once

#include <string>

#include "core/defect.hpp"

namespace gpulab {

// The pattern of a defect: "race-shared", "out-of-bounds-write".
std::string pattern_of(const Defect& defect);

}  // namespace gpulab
