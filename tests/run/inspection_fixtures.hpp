#pragma once

#include "lesson/result.hpp"

// Inspections, written by hand. A line of their source begins with a tab, as lines of learners may.

namespace gpulab::fixtures {

inline const std::string inspected_source = R"(// What the file is about.

__device__ float twice(float x) { return 2 * x; }

// Neighbours take neighbours.
__global__ void scale(const float* input, float* output, int size) {
	const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) output[item * 32] = twice(input[item]);
}

__global__ void other() {}
)";

inline VariantInspection strided_variant() {
  VariantInspection variant{.problem = "1 024 float32", .file = "scale.cu", .source = inspected_source};
  variant.result.name = "strided";
  variant.result.kernel = "scale";
  variant.result.observed = Outcome::right;
  variant.result.size = 1024;
  variant.result.launch = LaunchConfig{.grid = {4}, .block = {256}};
  variant.result.launches = 1;
  variant.counts.add({8,
                      AccessKind::global_load,
                      {.requests = 32, .active_lanes = 1024, .sectors = 128, .bytes = 4096},
                      {.min_sectors = 128}});
  variant.counts.add({8,
                      AccessKind::global_store,
                      {.requests = 32, .active_lanes = 1024, .sectors = 1024, .bytes = 4096},
                      {.min_sectors = 128, .costly_stride = {128, 896}}});
  return variant;
}

inline VariantInspection failed_variant() {
  VariantInspection variant = strided_variant();
  variant.counts = {};
  variant.result.name = "broken";
  variant.result.observed = Outcome::fails_to_compile;
  variant.result.explanation = "scale.cu does not compile: line 8: expected ';'";
  variant.result.compiler_log = "scale.cu:8:58: error: expected ';'\n";
  variant.result.launch.reset();
  variant.result.launches = 0;
  return variant;
}

inline Inspection inspection_of(std::vector<VariantInspection> variants) {
  return {.lesson = "coalescing",
          .title = "Coalesced access",
          .seed = 42,
          .options = {{"values", "uniform"}},
          .asked_size = 4096,
          .variants = std::move(variants)};
}

}  // namespace gpulab::fixtures
