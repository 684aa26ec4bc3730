#pragma once

#include <utility>

#include "lesson/exercise.hpp"
#include "lesson/finding.hpp"
#include "source/code.hpp"

namespace gpulab::program::runtime {

// Races in kernels, and the barriers that they lack.

bool is_race(const Defect& defect);
bool is_in_one_block(const Defect& defect);
// Returns whether one access is a load and the other a plain store.
bool is_load_against_store(const Defect& defect);
std::pair<int, int> lines_in_kernel(const Defect& defect);
// Returns the last of the steps that follow each other from that line on, and update one array in place.
int last_step(const source::Code& code, int line);

void find_barrier_between(const source::Code& code, Defect& defect);
void add_existing_barrier(const Defect& defect, const source::Code& code, ProgramFinding& finding);
// These correct a race of shared memory, and one of global memory in a loop of a launch with one block.
void add_missing_barrier(const Defect& defect, const source::Code& code, ProgramFinding& finding);
void add_barrier_in_loop(const Defect& defect, const source::Code& code, ProgramFinding& finding);
// These correct a race of global memory.
void add_barrier_for_swap(const Defect& defect, const source::Code& code, ProgramFinding& finding);
void add_grid_barrier(const Defect& defect, const source::Code& code, ProgramFinding& finding);

}  // namespace gpulab::program::runtime
