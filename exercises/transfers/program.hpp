#pragma once

#include "lesson/exercise.hpp"

namespace gpulab::lessons::transfers {

// What the program of the exercise prints, and how little it may copy.
ProgramTask program();

// The first copy from or to ordinary memory of the host that is worth page-locked memory; none if there is
// none.
std::optional<ProgramFinding> objection_to_pageable(const ProgramReport& report);

}  // namespace gpulab::lessons::transfers
