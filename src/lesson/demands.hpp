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

// Finds an atomic on global memory for every element, or a loop of single lanes over shared memory.
std::optional<ProgramFinding> atomic_for_each_element(const KernelRecord& record);
std::optional<ProgramFinding> sums_of_a_single_lane(const KernelRecord& record);

}  // namespace gpulab
