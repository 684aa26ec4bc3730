#pragma once

#include "lesson/exercise.hpp"

namespace gpulab {

// Tests of a kernel's counted accesses, for demands that several exercises share.

// Finds a line in which all threads access global memory, also those without an element.
std::optional<ProgramFinding> surplus_accesses(const KernelRecord& record);

// Finds a line in which most accesses are those of a part of a warp. For sizes that fill all warps.
std::optional<ProgramFinding> diverging_accesses(const KernelRecord& record);

// Finds that no thread accesses shared memory.
std::optional<ProgramFinding> unshared_accesses(const KernelRecord& record);

// Finds a loop of a single lane over shared memory.
std::optional<ProgramFinding> sums_of_a_single_lane(const KernelRecord& record);

}  // namespace gpulab
