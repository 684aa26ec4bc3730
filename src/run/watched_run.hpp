#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/defect.hpp"
#include "device/compile_cache.hpp"
#include "run/problem_cache.hpp"
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

// What came of watching it if somebody has changed the variant's kernel, and it has a defect now. A variant
// that is wrong on purpose is left alone.
std::optional<VariantResult> defect_of_edited(VariantWatch& watch, const KernelFiles& files,
                                              const Variant& variant, unsigned block_size);

}  // namespace gpulab::run
