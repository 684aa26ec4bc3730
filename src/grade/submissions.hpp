#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/grade_result.hpp"

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

// Several folders are a learner's each. A single one is a class, with a folder for each learner, unless it
// has kernel files itself: then it is one learner's. Sorted by name. Throws UsageError for what is no folder.
std::vector<LearnersFolder> learners_folders(const std::vector<std::filesystem::path>& folders);

// What is in these folders, and the folders in them: rows for the files, in the order of the course, of which
// those to be checked have their texts, and rows for what is missing. The exercises are those that are asked
// for or, where none are, those that anybody has handed in. Nothing is written, and no link is followed. A
// file's exercise is told by its name, else by the kernels that it defines, or the questions in it.
std::vector<Submission> submissions_in(const std::vector<LearnersFolder>& learners,
                                       const std::vector<std::string>& exercises);

}  // namespace gpulab::grade
