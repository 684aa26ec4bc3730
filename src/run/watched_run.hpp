#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "lesson/finding.hpp"
#include "lesson/result.hpp"
#include "run/problems.hpp"
#include "run/run_options.hpp"
#include "run/variant_run.hpp"

namespace gpulab::run {

struct WatchedRun {
  VariantResult result;
  std::vector<Defect> defects = {};  // the most severe first, without notes
  std::string worst = {};            // the first of them, in words that name the arrays
  std::string printed = {};
};

// Runs a variant with every access watched.
WatchedRun run_watched(const RunContext& context, VariantTask task);

// Watches variants of a lesson on a simulator, at a size that shows defects and takes no time.
class VariantWatch {
 public:
  // The device, which may be a GPU, need not be the one that watches. All of them outlive this.
  VariantWatch(const Lesson& lesson, const KernelFiles& files, const Settings& asked, device::Device& device);
  ~VariantWatch();

  // Runs it with its threads in three orders, until it shows a defect: that run, or else the last one. None
  // where it cannot be watched.
  std::optional<WatchedRun> watch(const Variant& variant, unsigned block_size);

  // What the variant would be watched with; none where it cannot be.
  std::optional<LaunchContext> context(const Variant& variant, unsigned block_size);

  // Why nothing was watched; empty if everything was that can be.
  const std::string& why_not() const { return why_not_; }

 private:
  struct Simulation;

  Simulation* simulation(const Variant& variant);

  const Lesson& lesson_;
  const KernelFiles& files_;
  const Settings& asked_;
  device::Device& device_;
  // None until they are needed.
  std::unique_ptr<device::CompileCache> cache_;
  std::unique_ptr<device::Device> simulator_;  // beside a GPU
  std::unique_ptr<Simulation> simulation_;
  std::string why_not_;
};

// What came of watching a variant whose kernel somebody has changed, if it has a defect now. A variant that
// is wrong on purpose is left alone.
std::optional<VariantResult> defect_of_edited(VariantWatch& watch, const Variant& variant,
                                              unsigned block_size);

// Runs the chosen variants on the simulator, each access of their kernels counted, at the settings that were
// asked for or at smaller ones that stay quick. What a variant does wrong is part of the result. Throws
// UsageError for options that make no sense.
Inspection inspect_lesson(const Lesson& lesson, const RunOptions& options, const KernelFiles& files,
                          device::Device& simulator);

// The lesson's solution with a learner's file in its place. It is watched once before it is counted: a
// defect, such as a race, makes it wrong whatever its result.
Inspection inspect_replaced(const Lesson& lesson, RunOptions options, const device::KernelSource& learners,
                            device::Device& simulator);

}  // namespace gpulab::run
