#pragma once

#include <string>
#include <vector>

#include "core/defect.hpp"

namespace gpulab {

// The pattern of a defect: "race-shared", "out-of-bounds-write".
std::string pattern_of(const Defect& defect);

// The gravest first: what makes others follow stands before them. Notes are left out.
std::vector<Defect> by_gravity(std::vector<Defect> defects);

}  // namespace gpulab
