#pragma once

#include <cstddef>
#include <vector>

#include "device/simulator/check/found_defect.hpp"

namespace gpulab {

// What a worker has found in a launch: each kind at each pair of instructions once. Kernels call it on their
// own small stacks, so it allocates nothing after it is made.
class DefectLog {
 public:
  static constexpr std::size_t most = 512;  // more than anybody reads

  DefectLog() { defects_.reserve(most); }

  void add(const FoundDefect& defect);
  std::vector<FoundDefect> take();

 private:
  std::vector<FoundDefect> defects_;
  std::size_t latest_ = 0;
};

}  // namespace gpulab
