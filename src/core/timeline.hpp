#pragma once

#include <string>
#include <vector>

namespace gpulab {

// One thing that a stream did: a copy or a kernel, in seconds since the run began.
struct Span {
  enum class Kind { kernel, to_device, to_host, other };

  int stream = 0;
  Kind kind = Kind::kernel;
  std::string what;  // the kernel or the array
  double start_s = 0;
  double end_s = 0;
  double bytes = 0;  // of a copy
};

using Timeline = std::vector<Span>;

}  // namespace gpulab
