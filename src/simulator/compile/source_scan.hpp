#pragma once

#include <string>
#include <vector>

namespace gpulab::simulator::compile {

// What the simulator must know of a kernel file before it compiles it.
struct SourceScan {
  std::vector<std::string> dynamic_shared;  // symbols declared as extern __shared__ T name[]
  std::vector<std::string> kernels;         // names declared __global__, without namespaces
  std::string refused;                      // why the simulator cannot run it; empty if it can
  int refused_line = 0;
};

SourceScan scan_source(const std::string& text);

// Something of CUDA that the simulator does not have, and the first line that uses it.
struct UnsupportedUse {
  int line = 0;
  std::string what;  // "inline PTX (asm)"
};

// What kernels of a whole program use, in the order of the lines.
std::vector<UnsupportedUse> unsupported_uses(const std::string& text);

}  // namespace gpulab::simulator::compile
