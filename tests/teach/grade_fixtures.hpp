#pragma once

#include "teach/submissions.hpp"

// Submissions of a class, written by hand.

namespace gpulab::fixtures {

inline teach::GradeResult graded_class() {
  const teach::GradeRow passed{.learner = "ada",
                               .exercise = "first-kernel",
                               .file = "first_kernel.cu",
                               .hash = "12-34",
                               .seconds = 0.41,
                               .score = 1,
                               .feedback = "PASSED  first-kernel\n"};
  teach::GradeRow race{.learner = "ada",
                       .exercise = "shared-histogram",
                       .file = "histogram-final (1).cu",
                       .hash = "56-78",
                       .verdict = Verdict::defect,
                       .pattern = "race-shared",
                       .line = 11,
                       .seconds = 1.26,
                       .feedback = "DEFECT  shared-histogram\n",
                       .summary = "two threads, one word",
                       .notes = {"recognised by its content"}};
  teach::GradeRow again = race;
  again.learner = "bea";
  again.notes.clear();
  return {.build = {.version = "1.2.3", .revision = "abc", .compiler = "g++", .build_type = "Release"},
          .rows = {passed,
                   race,
                   {.learner = "bea", .exercise = "first-kernel", .state = teach::SubmissionState::missing},
                   again,
                   {.learner = "bea",
                    .file = "=cmd.zip",
                    .state = teach::SubmissionState::archive,
                    .summary = "unpack it"}},
          .equal = {{"shared-histogram", teach::EqualFiles::To::each_other, {"ada", "bea"}}}};
}

}  // namespace gpulab::fixtures
