#include "run/ranks/lesson_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "base/text.hpp"

namespace gpulab::run::ranks {
namespace {

constexpr std::size_t few = 1024;  // elements

std::string microseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g us", seconds * 1e6);
  return text;
}

}  // namespace

ScalingModel measured_model(const Lesson& lesson, const Variant& variant, int most, std::size_t size,
                            double budget_s, const PlaceOf& place) {
  Variant together = variant;
  together.on_each_rank = lesson.shows.scaling_with;
  const auto time = [&](const Variant& timed, int ranks, std::size_t of_size) {
    const Place at = place(ranks, of_size);
    return time_on_ranks(at.ranks, at.problem, timed, timed.block.threads, budget_s);
  };
  ScalingModel model;
  model.fixed_s = time(variant, 1, few);
  const std::size_t quarter = std::max(few * 2, size / 4);
  const double bytes = place(1, quarter).problem.whole().prepared.problem.min_traffic().bytes_read;
  model.bytes_per_s = bytes / std::max(1e-9, time(variant, 1, quarter) - model.fixed_s);
  const double of_one = time(together, 1, few);
  for (int ranks = 2; ranks <= most; ranks *= 2)
    model.together_s[ranks] = std::max(0.0, time(together, ranks, few) - of_one);
  return model;
}

std::string prediction_text(const ScalingModel& model, double bytes, double bytes_of_element) {
  std::string text = "predicted, from " + microseconds(model.fixed_s) + " for a launch and " +
                     std::to_string(std::lround(model.bytes_per_s * 1e-9)) + " GB/s of one GPU";
  for (const auto& [ranks, seconds] : model.together_s)
    text += ", " + microseconds(seconds) + " for the all-reduce of " + std::to_string(ranks);
  text += ": 1 GPU " + microseconds(model.predicted_s(1, bytes));
  for (const auto& [ranks, seconds] : model.together_s)
    text += ", " + std::to_string(ranks) + " GPUs " + microseconds(model.predicted_s(ranks, bytes));
  if (!model.together_s.empty())
    text += "; two GPUs beat one from " +
            grouped(static_cast<std::uint64_t>(model.crossover_bytes() / bytes_of_element)) + " elements on";
  return text;
}

std::vector<Figure> scaling_figures(const ScalingModel& model, const Variant& variant,
                                    const VariantResult& result, int ranks, double bytes,
                                    const LessonResult& so_far) {
  if (!result.kernel_cold) return {};
  const double seconds = result.kernel_cold->median_s;
  std::vector<Figure> figures{{"predicted", model.predicted_s(ranks, bytes) * 1e6, "us"}};
  const std::string of_one = variant.grows_with_ranks ? "weak-1" : "strong-1";
  const auto found = std::ranges::find(so_far.variants, of_one, &VariantResult::name);
  const VariantResult& one = result.name == of_one || found == so_far.variants.end() ? result : *found;
  if (one.name != of_one || !one.kernel_cold) return figures;
  const double one_s = one.kernel_cold->median_s * (variant.grows_with_ranks ? ranks : 1);
  figures.push_back({"speed-up", speed_up(one_s, seconds), ""});
  figures.push_back({"efficiency", 100 * parallel_efficiency(one_s, seconds, ranks), "%"});
  return figures;
}

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
