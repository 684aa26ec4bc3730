#pragma once

#include <vector>

#include "core/defect.hpp"

namespace gpulab {

// The gravest first: what makes others follow stands before them. Notes are left out.
std::vector<Defect> by_gravity(std::vector<Defect> defects);

}  // namespace gpulab
