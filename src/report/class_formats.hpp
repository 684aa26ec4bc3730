#pragma once

#include <string>
#include <vector>

#include "core/class_result.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// Who is where, in so many lines at most: a heading, a row for each learner and, at the end, how many more
// there are and what most are stuck at.
std::vector<std::string> class_lines(const ClassResult& result, const TextStyle& style,
                                     std::size_t most_lines);

// Everybody, as one document with "schema": "gpulab.class".
std::string class_json(const ClassResult& result);

}  // namespace gpulab::report
