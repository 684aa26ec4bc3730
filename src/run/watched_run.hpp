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
  std::vector<Defect> defects = {};  // most severe first, without notes
  std::string worst = {};            // description of the first defect, with array names
  int line_of_store = 0;             // line of the store to the first wrong element; 0 if unknown
};

// Runs a variant with every access watched.
WatchedRun run_watched(const RunContext& context, VariantTask task);

// Watches variants of a lesson on a simulator, at a size that shows defects quickly.
class VariantWatch {
 public:
  // `device` may be a GPU: a simulator is then opened to watch. All arguments must outlive this.
  VariantWatch(const Lesson& lesson, const KernelFiles& files, const Settings& asked, device::Device& device,
               WatchedSizes sizes = WatchedSizes::odd,
               const std::optional<Tolerance>& tolerance = std::nullopt);
  ~VariantWatch();

  // Runs the variant once with each of three thread orders, until a run shows a defect or is stopped. Returns
  // that run, or the first with a wrong result, or the last; none if the variant cannot be watched.
  std::optional<WatchedRun> watch(const Variant& variant, unsigned block_size);

  // Returns the context used to watch the variant; none if it cannot be watched.
  std::optional<LaunchContext> context(const Variant& variant, unsigned block_size);

  // Returns why nothing was watched; "" if all possible variants were.
  const std::string& why_not() const { return why_not_; }

 private:
  struct Simulation;

  // Returns the simulation, made at the first call; null if the variant cannot be watched.
  Simulation* simulation(const Variant& variant);

  const Lesson& lesson_;
  const KernelFiles& files_;
  const Settings& asked_;
  device::Device& device_;
  const WatchedSizes sizes_;
  const std::optional<Tolerance> tolerance_;  // if none, the problem's own
  // Created when needed.
  std::unique_ptr<device::CompileCache> cache_;
  std::unique_ptr<device::Device> simulator_;  // used beside a GPU
  std::unique_ptr<Simulation> simulation_;
  std::string why_not_;
};

// Turns what stopped an edited kernel on the simulator, such as an endless loop, into a defect.
void blame_kernel_for_stop(VariantResult& result);

// Watches an edited variant, unless it is wrong on purpose, and returns its result if it has a defect, or is
// wrong at the size watched.
std::optional<VariantResult> defect_of_edited(VariantWatch& watch, const Variant& variant,
                                              unsigned block_size);

// Runs the chosen variants on the simulator and counts each access of their kernels, at the requested
// settings or smaller ones that are quick. Failures of variants are part of the result. Throws UsageError for
// inconsistent options.
Inspection inspect_lesson(const Lesson& lesson, const RunOptions& options, const KernelFiles& files,
                          device::Device& simulator);

// Inspects a learner's file in place of the lesson's solution. Watches it once before counting: a defect,
// such as a race, makes it wrong whatever its result.
Inspection inspect_replaced(const Lesson& lesson, RunOptions options, const device::KernelSource& learners,
                            device::Device& simulator);

}  // namespace gpulab::run
