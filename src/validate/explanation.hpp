#pragma once

#include <cstddef>
#include <string>

#include "core/arrays.hpp"
#include "validate/comparison.hpp"
#include "validate/guard.hpp"
#include "validate/work_items.hpp"

// One line that says what went wrong: how much, where, whose work it was, and the pattern it fits. It claims
// no more than the memory shows.

namespace gpulab {

struct Explanation {
  std::string pattern;  // "unwritten-tail"; "wrong-values" when nothing better fits
  std::string text;     // the line
};

// The comparison is that of actual with expected, and found a difference. Throws std::logic_error when there
// is nothing to explain.
//   "1 024 of 2 048 unwritten, from C[1024] on: no thread has that index (1 block of 1024 threads)"
Explanation explain_difference(const Comparison& comparison, const Array& actual, const Array& expected,
                               const WorkItems& items);

// length: elements of the array that the guard zones lie around.
//   "wrote 240 elements past the end of C (length 10 000), first C[10000] by block 9 thread 784"
std::string explain_guard_hit(const GuardHit& hit, const std::string& array, std::size_t length,
                              ElementType type, const WorkItems& items);

}  // namespace gpulab
