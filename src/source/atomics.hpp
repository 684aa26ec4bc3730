#pragma once

#include <string>

#include "source/code.hpp"

namespace gpulab::source {

// Returns the atomic that does what a statement of these lines does in several steps: "atomicAdd(&bins[x],
// 1)" for bins[x]++, "atomicMax(best, e)" for if (e > *best) *best = e. Empty if there is none for the type
// of the variable, or the value comes from the same array. The first line has the store.
std::string atomic_for(const Code& code, int line, int other_line);

}  // namespace gpulab::source
