#pragma once

#include <string>
#include <vector>

namespace gpulab::simulator::compile {

// What the simulator must know of a kernel file before it compiles it.
struct SourceScan {
  std::vector<std::string> dynamic_shared;  // names declared as extern __shared__ T name[]
  std::string refused;                      // why the simulator cannot run it; empty if it can
  int refused_line = 0;
};

SourceScan scan_source(const std::string& text);

}  // namespace gpulab::simulator::compile
