#pragma once

#include "lesson/exercise.hpp"

namespace gpulab::lessons::transfers {

// Returns what the program of the exercise prints, and how little it may copy.
ProgramTask program();

// Demands that other programs share: page-locked memory for all copies but those of `small_bytes` to the
// device; a wait before memory is freed; every stream and event destroyed.
std::optional<ProgramFinding> pageable_copy(const ProgramRecord& record, std::size_t small_bytes);
std::optional<ProgramFinding> implicit_wait(const ProgramRecord& record);
std::optional<ProgramFinding> leaked_handle(const ProgramRecord& record);

}  // namespace gpulab::lessons::transfers
