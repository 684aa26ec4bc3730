#pragma once

#include "lesson/exercise.hpp"

namespace gpulab {

// Tests of a kernel's counted accesses, for demands that several exercises share.

// Finds a line in which all threads access global memory, also those without an element.
std::optional<ProgramFinding> surplus_accesses(const KernelRecord& record);

// Finds a line whose requests have on average at most three quarters of a warp's lanes. For sizes that fill
// all warps.
std::optional<ProgramFinding> diverging_accesses(const KernelRecord& record);

// Finds the line whose loads or stores of global memory touch at least four times the sectors that their
// bytes would fill.
std::optional<ProgramFinding> uncoalesced_accesses(const KernelRecord& record);

// Finds that no thread reads shared memory, or adds to it.
std::optional<ProgramFinding> no_shared_accesses(const KernelRecord& record);

// Finds a tree in shared memory that leaves more than 20 of 32 lanes idle, as one with interleaved threads
// does.
std::optional<ProgramFinding> divergent_tree(const KernelRecord& record);

// Finds atomics of which the lanes of a warp make most at one address.
std::optional<ProgramFinding> atomics_at_one_address(const KernelRecord& record);

// Finds a loop of a single lane over shared memory, or over most elements or many in global memory.
std::optional<ProgramFinding> loop_of_one_lane(const KernelRecord& record);

// Returns whether a line accesses memory so often, or all lines store so often, that they may do so again and
// again: a solution accesses it once for each work item, or more.
bool may_repeat_accesses(const KernelRecord& record);

// Finds the line that accesses memory many times more often than all lines of the solution together.
std::optional<ProgramFinding> repeated_accesses(const KernelRecord& record, const KernelRecord& solution);

// Finds stores to global memory that are more than the work items, and more than those of the solution.
std::optional<ProgramFinding> repeated_stores(const KernelRecord& record, const KernelRecord& solution);

}  // namespace gpulab
