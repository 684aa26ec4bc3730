#pragma once

#include <string>
#include <vector>

#include "core/defect.hpp"
#include "core/failure.hpp"

namespace gpulab {

// The pattern of a defect: "race-shared", "out-of-bounds-write".
std::string pattern_of(const Defect& defect);
// The pattern of a kernel that was refused or stopped: "wrong-parameters", "time-limit".
std::string pattern_of(FailureKind kind);

// The gravest first: what makes others follow stands before them. Notes are left out.
std::vector<Defect> by_gravity(std::vector<Defect> defects);

}  // namespace gpulab
