#pragma once

#include <string>
#include <vector>

#include "core/access_counts.hpp"
#include "core/result.hpp"

// What the kernels of a lesson ask of memory, line by line, as the simulator counts it.

namespace gpulab {

struct VariantInspection {
  VariantResult
      result;           // of the run that was counted; what it asked for is known only when it ran to its end
  std::string problem;  // what it was run on, as the problem describes itself
  std::string file;     // of its kernels, as messages call it
  std::string source;   // the text of that file
  AccessCounts counts;
};

struct Inspection {
  std::string lesson;
  std::string title;
  std::uint64_t seed = 0;
  std::map<std::string, OptionValue> options;  // the lesson's own, as counted with
  std::size_t asked_size = 0;  // work items of the problem that was asked for, which may have been too large
  std::vector<VariantInspection> variants;
};

// Whether the variant ran to its end, so that its accesses are known.
bool is_counted(const VariantInspection& variant);

// 0 when every variant did what the lesson states; otherwise the gravest of what happened.
ExitCode exit_code_of(const Inspection& inspection);

}  // namespace gpulab
