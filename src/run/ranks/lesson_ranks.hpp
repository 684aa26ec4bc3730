#pragma once

#include <functional>
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

// One rung on several devices: as run_variant, for a variant with on_each_rank. In every process the result
// is the same: that of all ranks. A sample is the time of the slowest rank, from the moment at which all were
// ready.
VariantResult run_on_ranks(Ranks& ranks, DividedProblem& problem, const VariantTask& task);

// What a variant takes that is not judged, in seconds: the median.
double time_on_ranks(Ranks& ranks, DividedProblem& problem, const Variant& variant, unsigned block_size,
                     double budget_s);

// Where the parts of a lesson on scaling run: so many ranks with a problem of at most so many elements.
struct Place {
  Ranks& ranks;
  DividedProblem& problem;
};
using PlaceOf = std::function<Place(int ranks, std::size_t size)>;

// Measures what the time of the variant on several devices is predicted from: on one device, with few
// elements and with a quarter of them, and on 2, 4, 8, ... up to `most` what they do together.
ScalingModel measured_model(const Lesson& lesson, const Variant& variant, int most, std::size_t size,
                            double budget_s, const PlaceOf& place);

// "predicted from ...: 1 GPU 928 us, 2 GPUs 478 us; two GPUs beat one from 46 000 elements on".
std::string prediction_text(const ScalingModel& model, double bytes, double bytes_of_element);

// Speed-up and efficiency against the variant on one device, and the prediction. None without that.
std::vector<Figure> scaling_figures(const ScalingModel& model, const Variant& variant,
                                    const VariantResult& result, int ranks, double bytes,
                                    const LessonResult& so_far);

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
