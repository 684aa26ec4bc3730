#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/ranks/ranks.hpp"
#include "run/run_options.hpp"
#include "run/variant_run.hpp"

namespace gpulab::run::ranks {

// Runs a variant that has `on_each_rank` on several devices, like run_variant. Every process returns the same
// result, that of all ranks. A sample is the time of the slowest rank since all were ready.
VariantResult run_on_ranks(Ranks& ranks, DividedProblem& problem, const VariantTask& task);

// Returns the requested settings, with the number of GPUs of a lesson for several: by default all there are.
Settings with_gpus(const RunOptions& options, const device::Device& device);

// Returns what is lacking to run a variant on several devices, as missing_requirement() does; "" if nothing
// is.
std::string missing_devices(const Variant& variant, const Settings& settings, const device::Device& device);

// A lesson's variants for several devices. Opens devices and divides the problem when first needed.
class LessonRanks {
 public:
  // All arguments must outlive this. The device is that of this process's first rank.
  LessonRanks(const Lesson& lesson, const RunOptions& options, const Settings& settings,
              device::Device& device, ProblemCache& problems)
      : lesson_(lesson), options_(options), settings_(settings), device_(device), problems_(problems) {}

  // Returns the number of ranks that run the variant.
  int count_of(const Variant& variant) const;

  // Returns whether there are devices that can run the variant.
  bool can_run(const Variant& variant);

  // Runs a variant on the whole problem, given the results of earlier variants. Throws like run_variant.
  VariantResult run(const VariantTask& task, const RunContext& whole, const LessonResult& so_far,
                    double budget_s);

  // Forgets compiled kernel files, which may have changed.
  void forget_compiled() { divided_.clear(); }

  // Returns and clears remarks for the user.
  std::vector<std::string> take_remarks() { return std::exchange(remarks_, {}); }

 private:
  Ranks& ranks_of(int count);
  DividedProblem& divided(const RunContext& whole, int ranks);
  double time_on(int ranks, std::size_t size, const Variant& variant, double budget_s);
  ScalingModel measured_model(const Variant& variant, double budget_s);
  void predict(const Variant& variant, double budget_s);

  const Lesson& lesson_;
  const RunOptions& options_;
  const Settings& settings_;
  device::Device& device_;
  ProblemCache& problems_;
  std::map<int, std::unique_ptr<Ranks>> ranks_;  // by number of ranks
  std::map<std::pair<const RunContext*, int>, std::unique_ptr<DividedProblem>> divided_;
  std::optional<ScalingModel> model_;  // none before a variant with a predicted time
  std::vector<std::string> remarks_;
};

}  // namespace gpulab::run::ranks
