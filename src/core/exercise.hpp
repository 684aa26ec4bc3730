#pragma once

#include <string>
#include <vector>

namespace gpulab {

// What a learner is given for a lesson.
struct Exercise {
  std::string lesson;   // the subcommand: "shared-histogram"
  std::string file;     // the learner's file: "shared_histogram.cu", or "streams.txt" for questions
  std::string starter;  // what stands in it at first
  std::vector<std::string> hints;  // from gentle to explicit
  std::string answers = {};        // to questions, each under its heading; empty for a kernel to write

  bool has_questions() const { return !answers.empty(); }
};

}  // namespace gpulab
