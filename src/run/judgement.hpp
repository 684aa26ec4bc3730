#pragma once

#include <string>

#include "lesson/arrays.hpp"
#include "lesson/problem.hpp"

namespace gpulab::run {

// Describes which rows of a rank's part are wrong, if they start at its first or end at its last row with
// right rows between: "the first 2 rows and the last row". Returns "" otherwise. The arrays are those of the
// whole problem.
std::string wrong_edges(const Array& output, const Array& expected, const HeldPart& part,
                        const Tolerance& tolerance);

// Does the same for one device that does the work of all ranks: "the last row of rank 0, the first row of
// ranks 1 to 3". Returns "" if the problem is not divided by rows, or other rows are wrong, too.
std::string wrong_edges_of_ranks(const Problem& problem, const Array& output, const Array& expected,
                                 const Tolerance& tolerance);

}  // namespace gpulab::run
