#include "run/ranks/lesson_ranks.hpp"

#include <algorithm>
#include <iterator>

#include "run/ranks/ranked_run.hpp"
#include "run/ranks/scaling.hpp"

namespace gpulab::run::ranks {
namespace {

double bytes_of(const RunContext& context) {
  return context.prepared.problem.min_traffic().bytes_read;
}

}  // namespace

Settings with_gpus(const RunOptions& options, const device::Device& device) {
  Settings settings = options.settings;
  const auto gpus = settings.options.find(gpus_option);
  if (gpus == settings.options.end() || settings.count(gpus_option) > 0) return settings;
  gpus->second =
      static_cast<std::uint64_t>(options.processes ? options.processes->count() : device.count_of_kind());
  return settings;
}

int LessonRanks::count_of(const Variant& variant) const {
  return variant.ranks > 0 ? variant.ranks : static_cast<int>(settings_.count(gpus_option));
}

bool LessonRanks::can_run(const Variant& variant) {
  const int all = static_cast<int>(settings_.count(gpus_option)), count = count_of(variant);
  if (count > all || (options_.processes && count < all))
    return false;  // the lesson goes as far as there are devices
  Ranks& ranks = ranks_of(count);
  if (!variant.reaches_ranks || ranks.reach_each_other()) return true;
  remarks_.push_back(variant.name + " was left out: " +
                     (ranks.is_one_process() ? "not every GPU can reach the memory of all others"
                                             : "ranks reach each other's memory within one process only"));
  return false;
}

VariantResult LessonRanks::run(const VariantTask& task, const RunContext& whole, const LessonResult& so_far,
                               double budget_s) {
  const int count = count_of(task.variant);
  if (options_.processes) options_.processes->wait_for_all("the variant " + task.variant.name);
  const bool is_predicted = lesson_.shows.scaling_with && !whole.is_simulated() && !options_.processes;
  if (is_predicted && !model_) predict(task.variant, budget_s);
  VariantResult result = run_on_ranks(ranks_of(count), divided(whole, count), task);
  if (is_predicted)
    std::ranges::move(scaling_figures(*model_, task.variant, result, count, bytes_of(whole), so_far),
                      std::back_inserter(result.findings.figures));
  return result;
}

Ranks& LessonRanks::ranks_of(int count) {
  auto& ranks = ranks_[count];
  if (ranks) return *ranks;
  if (options_.processes) options_.processes->wait_for_all("connecting the devices");
  ranks = std::make_unique<Ranks>(device_, count, options_.processes);
  if (count > 1) remarks_.push_back(std::to_string(count) + " ranks, " + ranks->connection());
  return *ranks;
}

DividedProblem& LessonRanks::divided(const RunContext& whole, int ranks) {
  auto& problem = divided_[{&whole, ranks}];
  if (!problem) problem = std::make_unique<DividedProblem>(ranks_of(ranks), whole);
  return *problem;
}

// What is measured must not change what was predicted.
void LessonRanks::predict(const Variant& variant, double budget_s) {
  const int all = static_cast<int>(settings_.count(gpus_option));
  model_ = measured_model(lesson_, variant, all, settings_.size, budget_s, [&](int ranks, std::size_t size) {
    return Place{ranks_of(ranks), divided(problems_.at_most(size), ranks)};
  });
  const double bytes = bytes_of(problems_.asked());
  remarks_.push_back(prediction_text(*model_, bytes, bytes / static_cast<double>(settings_.size)));
  options_.remark(remarks_.back());
}

}  // namespace gpulab::run::ranks
