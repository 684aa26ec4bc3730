#pragma once

#include <string>
#include <vector>

namespace gpulab::run {

// One thing that gpulab uses on this machine.
struct Finding {
  std::string what;  // "C++ compiler for the simulator"
  bool found = false;
  bool is_optional = false;  // a machine without a GPU does well without it
  std::string detail;        // what was found and where, or what is wrong
  std::string fix;           // the command, or the step, that fixes it; empty when nothing is to be done
};

struct Diagnosis {
  std::vector<Finding> findings;
  bool can_simulate = false;
  bool can_use_gpu = false;
};

// Looks at everything the two devices need, without changing anything.
Diagnosis examine_machine();

}  // namespace gpulab::run
