#pragma once

#include <string>

#include "lesson/arrays.hpp"
#include "lesson/problem.hpp"

namespace gpulab::run {

// Which rows of a rank's part are wrong, if they begin at its first or end at its last, and there are right
// ones between them: "the first 2 rows and the last row". Empty for anything else. The arrays are those of
// the whole problem.
std::string wrong_edges(const Array& output, const Array& expected, const HeldPart& part,
                        const Tolerance& tolerance);

// The same where one device does the work of all ranks: "the last row of rank 0, the first row of ranks 1 to
// 3". Empty where the problem is not divided by rows, or other rows are wrong, too.
std::string wrong_edges_of_ranks(const Problem& problem, const Array& output, const Array& expected,
                                 const Tolerance& tolerance);

}  // namespace gpulab::run
