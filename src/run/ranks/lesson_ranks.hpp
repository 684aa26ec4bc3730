#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/scaling.hpp"
#include "run/ranks/ranks.hpp"
#include "run/run_options.hpp"
#include "run/variant_run.hpp"

namespace gpulab::run::ranks {

// What was asked for, of a lesson for several GPUs with their number: unless somebody has said it, as many as
// there are.
Settings with_gpus(const RunOptions& options, const device::Device& device);

// The variants of a lesson that run on several devices. They are opened, and the problem is divided, when a
// variant first needs it.
class LessonRanks {
 public:
  // All of them have to live longer. The device is that of the first rank of this process.
  LessonRanks(const Lesson& lesson, const RunOptions& options, const Settings& settings,
              device::Device& device, ProblemCache& problems)
      : lesson_(lesson), options_(options), settings_(settings), device_(device), problems_(problems) {}

  // How many ranks run the variant.
  int count_of(const Variant& variant) const;

  // Whether there are devices for it that can do what it does.
  bool can_run(const Variant& variant);

  // With the whole problem that it is to be run on, and what other variants have shown. Throws as
  // run_variant.
  VariantResult run(const VariantTask& task, const RunContext& whole, const LessonResult& so_far,
                    double budget_s);

  // The kernel files have changed.
  void forget_compiled() { divided_.clear(); }

  // What a user should know of it.
  std::vector<std::string> take_remarks() { return std::exchange(remarks_, {}); }

 private:
  Ranks& ranks_of(int count);
  DividedProblem& divided(const RunContext& whole, int ranks);
  void predict(const Variant& variant, double budget_s);

  const Lesson& lesson_;
  const RunOptions& options_;
  const Settings& settings_;
  device::Device& device_;
  ProblemCache& problems_;
  std::map<int, std::unique_ptr<Ranks>> ranks_;  // by how many they are
  std::map<std::pair<const RunContext*, int>, std::unique_ptr<DividedProblem>> divided_;
  std::optional<ScalingModel> model_;  // none before a variant whose time is predicted
  std::vector<std::string> remarks_;
};

}  // namespace gpulab::run::ranks
