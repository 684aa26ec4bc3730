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

// Watches kernels whose text is not the built-in one, before they run as they are: on a simulator, at a size
// that shows defects and takes no time.
class EditedKernels {
 public:
  // The device, which may be a GPU, need not be the one that watches.
  EditedKernels(const Lesson& lesson, const KernelFiles& files, const Settings& asked,
                device::Device& device);
  ~EditedKernels();

  // What came of it if the kernel has a defect. A variant that is wrong on purpose is left alone.
  std::optional<VariantResult> defect_of(const Variant& variant, unsigned block_size);

  // Why an edited kernel was not watched; empty if each was.
  const std::string& why_not() const { return why_not_; }

 private:
  struct Watcher;

  const Lesson& lesson_;
  const KernelFiles& files_;
  const Settings& asked_;
  device::Device& device_;
  // None until they are needed.
  std::unique_ptr<device::CompileCache> cache_;
  std::unique_ptr<device::Device> simulator_;  // beside a GPU
  std::unique_ptr<Watcher> watcher_;
  std::string why_not_;
};

}  // namespace gpulab::run
