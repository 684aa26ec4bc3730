#pragma once

#include <map>
#include <optional>
#include <string>

#include "estimate/gpu.hpp"
#include "estimate/ptx.hpp"
#include "lesson/access_counts.hpp"
#include "lesson/estimate.hpp"
#include "program/compiler.hpp"

namespace gpulab::program::runtime {

// Predicts the time of launches on a GPU that may not be here.
class Prediction {
 public:
  Prediction(estimate::Gpu gpu, GpuCode code) : gpu_(std::move(gpu)), code_(std::move(code)) {}

  const estimate::Gpu& gpu() const { return gpu_; }

  // Predicts a launch whose accesses were counted. `symbol` is the kernel's, as the host's compiler mangles
  // it. The estimate has one launch.
  Estimate of(const std::string& kernel, const std::string& symbol, const LaunchConfig& config,
              std::size_t shared_bytes, const AccessCounts& accesses);

 private:
  // A kernel in the code for the GPU.
  struct Compiled {
    int registers = 0;  // 0 if they are not known
    bool has_local_memory = false;
    std::optional<estimate::PtxKernel> ptx = {};
  };
  const Compiled& compiled_for(const std::string& symbol);

  estimate::Gpu gpu_;
  GpuCode code_;
  std::map<std::string, Compiled> compiled_;
};

}  // namespace gpulab::program::runtime
