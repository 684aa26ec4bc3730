#pragma once

#include <string>
#include <vector>

namespace gpulab {

// What a learner is given for a lesson.
struct Exercise {
  std::string lesson;              // the subcommand: "shared-histogram"
  std::string file;                // the learner's file: "shared_histogram.cu"
  std::string starter;             // what stands in it at first
  std::vector<std::string> hints;  // from gentle to explicit
};

}  // namespace gpulab
