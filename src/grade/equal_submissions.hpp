#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/exercise.hpp"
#include "core/grade_result.hpp"
#include "grade/submissions.hpp"

namespace gpulab::grade {

// A file that has fewer tokens than these beyond its starter is compared with no other: the shortest right
// kernels have up to 39, and people arrive at the same ones by themselves. The next longer ones have 67.
constexpr std::size_t min_own_tokens = 50;

// The text's tokens without comments, blanks and #include lines, and with "$1", "$2" ... for the names that
// are the text's own: those of variables, types and the functions that it defines.
std::vector<std::string> tokens_without_own_names(const std::string& text);

// Kernel files with the same such tokens, exercise by exercise: as each other, as the starter, or as the
// course's solution, whose text the function gives.
std::vector<EqualFiles> equal_submissions(const std::vector<Submission>& submissions,
                                          const std::function<std::string(const Exercise&)>& solution_of);

}  // namespace gpulab::grade
