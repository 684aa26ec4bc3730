#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "bench/plan.hpp"
#include "core/bench_result.hpp"
#include "device/device.hpp"

namespace gpulab::bench {

struct MeasureOptions {
  std::optional<double> time_budget_s;  // for all rows together
  std::optional<std::filesystem::path> kernels;
  bool with_ceilings = true;  // of a GPU
  std::function<void(const std::string&)> remark = [](const std::string&) {};
};

// Measures, in this process, what is planned and not yet done, and hands over each row as soon as it is
// measured. What a variant does wrong is in its row; so is why a problem could not be run. Returns what else
// there is to know, without rows. A GPU that a kernel made unusable ends it: another process has to go on.
BenchResult measure(const Request& request, const Plan& plan, const MeasureOptions& options,
                    device::Device& device, const std::function<void(const BenchRow&)>& on_row);

// Why measuring ended early when a kernel left the GPU unusable.
inline constexpr const char* device_was_lost = "a kernel left the GPU unusable";

}  // namespace gpulab::bench
