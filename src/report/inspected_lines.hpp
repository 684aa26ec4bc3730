#pragma once

#include <string>
#include <vector>

#include "core/inspection.hpp"

namespace gpulab {

// A line of a kernel file, and what it accesses.
struct InspectedLine {
  int number = 0;  // 0 for accesses of which the line cannot be told
  std::vector<LineAccesses> accesses;
};

// The lines that access memory, in their order.
std::vector<InspectedLine> inspected_lines(const VariantInspection& variant);

// Every line of the variant's kernel and of all functions that have such lines, with the comments above them.
std::vector<InspectedLine> inspected_functions(const VariantInspection& variant);

// The kernels of these.
std::vector<std::string> inspected_kernels(const VariantInspection& variant);

}  // namespace gpulab
