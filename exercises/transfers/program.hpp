#pragma once

#include "lesson/exercise.hpp"

namespace gpulab::lessons::transfers {

// Returns what the program of the exercise prints, and how little it may copy.
ProgramTask program();

// Returns the first copy from or to pageable memory that is large enough for page-locked memory to pay, if
// any.
std::optional<ProgramFinding> objection_to_pageable(const ProgramReport& report);

}  // namespace gpulab::lessons::transfers
