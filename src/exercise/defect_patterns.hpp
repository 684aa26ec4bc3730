#pragma once

#include <string>

#include "core/defect.hpp"
#include "core/failure.hpp"

namespace gpulab {

// The pattern of a defect: "race-shared", "out-of-bounds-write".
std::string pattern_of(const Defect& defect);
// The pattern of a kernel that was refused or stopped: "wrong-parameters", "time-limit".
std::string pattern_of(FailureKind kind);

}  // namespace gpulab
