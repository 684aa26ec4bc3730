#pragma once

#include "lesson/exercise.hpp"

namespace gpulab {

// Tests of a kernel's counted accesses, for demands that several exercises share.

// Finds a line in which all threads access global memory, including those without an element.
std::optional<ProgramFinding> surplus_accesses(const KernelRecord& record);

// Finds a line whose requests have on average at most three quarters of a warp's lanes. For sizes that fill
// all warps.
std::optional<ProgramFinding> diverging_accesses(const KernelRecord& record);

// Finds the line whose loads or stores of global memory touch at least four times the sectors that their
// bytes would fill.
std::optional<ProgramFinding> uncoalesced_accesses(const KernelRecord& record);

// Finds that no thread reads shared memory, or adds to it.
std::optional<ProgramFinding> no_shared_accesses(const KernelRecord& record);

// Finds a tree reduction in shared memory that leaves more than 20 of 32 lanes idle, as interleaved
// addressing does.
std::optional<ProgramFinding> divergent_tree(const KernelRecord& record);

// Finds a line whose atomics have, on average, more than half of a warp's lanes at one address.
std::optional<ProgramFinding> atomics_at_one_address(const KernelRecord& record);

// Finds a line in which most lanes of a warp store to the same element of global memory.
std::optional<ProgramFinding> stores_at_one_address(const KernelRecord& record);

// Finds a line that single lanes run in a loop, and not once in each block: hundreds of loads from shared
// memory, or accesses to global memory for half of the elements, or 64 by one warp.
std::optional<ProgramFinding> loop_of_one_lane(const KernelRecord& record);

// Returns whether the two functions below may find something, so that the solution has to be counted, too.
bool may_repeat_accesses(const KernelRecord& record);

// Finds the line that accesses memory many times more often than all lines of the solution together.
std::optional<ProgramFinding> repeated_accesses(const KernelRecord& record, const KernelRecord& solution);

// Finds more stores to global memory than there are work items, and than the solution makes.
std::optional<ProgramFinding> repeated_stores(const KernelRecord& record, const KernelRecord& solution);

}  // namespace gpulab
