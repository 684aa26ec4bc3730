#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/exercise.hpp"
#include "core/grade_result.hpp"
#include "core/result.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::grade {

// A row to be filled in, and what is in its file.
struct Submission {
  GradeRow row;
  std::string text = {};
};

// A learner's folder, and the name that it is called by.
struct LearnersFolder {
  std::string learner;
  std::filesystem::path path;
};

// The name, with a number where it is taken; it is taken from now on.
std::string unique_name(const std::string& name, std::set<std::string>& taken);

// Several folders are a learner's each. A single one is a class, with a folder for each learner, unless it
// has kernel files itself: then it is one learner's. Sorted by name. Throws UsageError for what is no folder.
std::vector<LearnersFolder> learners_folders(const std::vector<std::filesystem::path>& folders);

// What is in these folders, and the folders in them: rows for the files, in the order of the course, of which
// those to be checked have their texts, and rows for what is missing. The exercises are those that are asked
// for or, where none are, those that anybody has handed in. Nothing is written, and no link is followed. A
// file's exercise is told by its name, else by the kernels that it defines, or the questions in it.
std::vector<Submission> submissions_in(const std::vector<LearnersFolder>& learners,
                                       const std::vector<std::string>& exercises);

struct CheckRequest {
  unsigned jobs = 1;  // processes at once
  sandbox::Mode sandbox = sandbox::Mode::require;
  // For a check and all that it starts, by the clock on the wall; each part of it has a limit of its own.
  double time_limit_s = 120;
  // To draw settings with. Learners do not know it, so none of their texts can choose what it is checked
  // with.
  std::uint64_t seed = 0;
};

// Checks each of them in a process of its own, on the simulator alone, and fills in its row. A process that
// dies, or is stopped, leaves a row that says so, and the rest goes on. Calls done after each, with what
// check found, or null. Throws Error, with the code of a device, for sandbox::Mode::require where this
// machine cannot confine. This process must have no threads.
void check_submissions(const std::vector<Submission*>& submissions, const CheckRequest& request,
                       const std::function<void(Submission&, const CheckResult*)>& done);

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
