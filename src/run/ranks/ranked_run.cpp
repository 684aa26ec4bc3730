#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "lesson/finding.hpp"
#include "run/documents.hpp"
#include "run/ranks/lesson_ranks.hpp"
#include "run/ranks/ranked_execution.hpp"
#include "run/sampling.hpp"

namespace gpulab::run::ranks {
namespace {

// Returns "rank 1 (elements 250 to 499): each count is ...".
std::string explanation_of_rank(const RankResult& rank) {
  return fmt::format("rank {} ({}): {}", rank.rank, rank.part, rank.explanation);
}

std::vector<device::Device*> devices_of(const Ranks& ranks) {
  std::vector<device::Device*> devices;
  for (int k = 0; k < ranks.count_here(); ++k) devices.push_back(&ranks.device(k));
  return devices;
}

// Run of a variant on several ranks. Its result covers this process's own ranks until agree() merges all.
class RankedRun : public VariantRun {
 public:
  RankedRun(Ranks& ranks, DividedProblem& problem, const VariantTask& task)
      : VariantRun(problem.whole(), task, devices_of(ranks)), ranks_(ranks), problem_(problem) {}

 private:
  // Notes an Error that is neither the device's nor the compiler's as one of ranks that wait for each other.
  bool attempt(Stage stage, const std::function<void()>& work) override {
    try {
      work();
    } catch (const device::DeviceError&) {
      note_failure(std::current_exception(), context_.is_simulated(), result_);
    } catch (const CompileError&) {
      note_failure(std::current_exception(), context_.is_simulated(), result_);
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      result_.observed = Outcome::faults;
      result_.explanation = error.what();
    }
    agree(stage == Stage::checked ? "the end of a run" : "the end of the timed runs");
    return true;
  }

  void check() override {
    execution_.emplace(ranks_, problem_, task_.variant, task_.block_size,
                       task_.instrumentation.value_or(instrumentation_for_ranks()));
    execution_->capture();
    note_launches();
    run_and_judge();
    note_launches();
  }

  void free_resources() override { execution_.reset(); }

  // Watches variants that are expected to race: that finds operations of several streams and devices that
  // nothing orders, whatever the result.
  device::Instrumentation instrumentation_for_ranks() const {
    const bool is_watched = context_.is_simulated() && result_.expected == Outcome::race;
    return is_watched ? device::Instrumentation::checked : default_instrumentation(task_.variant);
  }

  // Replaces the outcome with the most severe defect seen in this process.
  void add_defects() override {
    device::Instruments* const instruments = ranks_.device(0).instruments();
    if (!instruments) return;
    const std::vector<Defect> defects = by_severity(instruments->take_defects());
    if (defects.empty()) return;
    result_.explanation =
        explanation_of(defects.front(), [this](std::uintptr_t address) { return element_at(address); });
    result_.failure = Failure{.kind = defects.front().kind, .line = defects.front().party.line};
    const bool keeps_outcome = result_.expected == Outcome::race || result_.observed == Outcome::faults;
    if (!keeps_outcome) result_.observed = Outcome::defect;
  }

  // Returns "output[3] of rank 1".
  MemoryName element_at(std::uintptr_t address) {
    for (int k = 0; k < ranks_.count_here(); ++k) {
      MemoryName name = problem_.part(k).arrays.element_at(address);
      if (name.element.empty()) continue;
      name.element += " of rank " + std::to_string(ranks_.first() + k);
      return name;
    }
    return {};
  }

  // Notes the launches of the first rank that has any. A graph repeats the captured launches.
  void note_launches() {
    for (int k = 0; k < ranks_.count_here(); ++k) {
      if (!execution_->of(k).first_launch()) continue;  // it has no part of the problem
      result_.launch = execution_->of(k).first_launch()->config;
      result_.launches = execution_->of(k).launches();
      return;
    }
  }

  void run_and_judge() {
    const double start_s = steady_now_s();
    execution_->set_checks_messages(true);
    execution_->run([&](int k) {
      execution_->of(k).reset();
      execution_->of(k).prepare_run();
      ranks_.device(k).synchronize(ranks_.stream(k));
      execution_->synchronize_streams(k);
    });
    execution_->synchronize();
    if (context_.is_simulated()) result_.simulation_s = steady_now_s() - start_s;
    judge();
  }

  // Judges the ranks of this process.
  void judge() {
    std::optional<VariantResult> first_wrong;
    for (int k = 0; k < ranks_.count_here(); ++k) {
      VariantResult own = begun_result(context_, task_.variant, task_.block_size);
      judge_rank(context_, problem_.part(k), problem_.held(k), task_.variant, execution_->of(k), own);
      result_.ranks.push_back(rank_result(k, own));
      if (own.observed != Outcome::right && !first_wrong) first_wrong = own;
    }
    result_.observed = first_wrong ? first_wrong->observed : Outcome::right;
    if (!first_wrong) return;
    result_.wrong_elements = first_wrong->wrong_elements;
    result_.first_differences = first_wrong->first_differences;
    result_.pattern = first_wrong->pattern;
  }

  RankResult rank_result(int k, const VariantResult& own) const {
    return {.rank = ranks_.first() + k,
            .device = ranks_.device(k).properties().name,
            .node = ranks_.processes() ? ranks_.processes()->node() : "",
            .part = problem_.held(k).description,
            .observed = own.observed,
            .explanation = own.explanation};
  }

  // Merges the results of all processes, identically in each.
  void agree(const std::string& where) {
    std::vector<RankResult> own = std::exchange(result_.ranks, {});
    if (own.empty())
      for (int k = 0; k < ranks_.count_here(); ++k) own.push_back(rank_result(k, result_));
    for (const std::string& of_process : ranks_.gather(packed(own), where))
      append(result_.ranks, unpacked_ranks(of_process));
    const auto first_failed = std::ranges::find_if(
        result_.ranks, [](const RankResult& rank) { return rank.observed != Outcome::right; });
    const bool are_all_right = first_failed == result_.ranks.end();
    result_.observed = are_all_right ? Outcome::right : first_failed->observed;
    if (are_all_right) return;
    const bool ran = result_.observed == Outcome::wrong || result_.observed == Outcome::out_of_bounds;
    result_.explanation = ran ? explanation_of_rank(*first_failed) : first_failed->explanation;
    const auto wrong_ranks = std::ranges::count_if(
        result_.ranks, [](const RankResult& rank) { return rank.observed != Outcome::right; });
    if (ran && wrong_ranks > 1)
      result_.explanation += fmt::format(" ({} of {} ranks are wrong)", wrong_ranks, result_.ranks.size());
  }

  void take_time(double budget_s) override {
    result_.ranks.clear();
    execution_->set_checks_messages(false);
    RanksStopwatch stopwatch(ranks_, *execution_);
    result_.kernel_cold = sampled(stopwatch, budget_s);
    result_.warnings = timing_warnings(*result_.kernel_cold);
    judge();  // what the last timed run left
    for (int k = 0; k < ranks_.count_here(); ++k)
      result_.ranks[static_cast<std::size_t>(k)].median_s = stopwatch.median_of(k);
  }

  Ranks& ranks_;
  DividedProblem& problem_;
  std::optional<RankedExecution> execution_;  // none until compiled
};

}  // namespace

VariantResult run_on_ranks(Ranks& ranks, DividedProblem& problem, const VariantTask& task) {
  return RankedRun(ranks, problem, task).run();
}

namespace {

std::string microseconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g us", seconds * 1e6);
  return text;
}

// Returns "predicted, from ...: 1 GPU 928 us, 2 GPUs 478 us; two GPUs beat one from 46 000 elements on".
std::string prediction_text(const ScalingModel& model, double bytes, double bytes_of_element) {
  std::string text = fmt::format("predicted, from {} for a launch and {} GB/s of one GPU",
                                 microseconds_text(model.fixed_s), std::lround(model.bytes_per_s * 1e-9));
  for (const auto& [ranks, seconds] : model.collective_s)
    text += fmt::format(", {} for the all-reduce of {}", microseconds_text(seconds), ranks);
  text += ": 1 GPU " + microseconds_text(model.predicted_s(1, bytes));
  for (const auto& [ranks, seconds] : model.collective_s)
    text += fmt::format(", {} GPUs {}", ranks, microseconds_text(model.predicted_s(ranks, bytes)));
  if (!model.collective_s.empty())
    text += "; two GPUs beat one from " +
            grouped(static_cast<std::uint64_t>(model.crossover_bytes() / bytes_of_element)) + " elements on";
  return text;
}

// Returns speed-up and efficiency over the variant on one device, and the prediction. Without that
// variant, the prediction alone.
std::vector<Figure> scaling_figures(const ScalingModel& model, const Variant& variant,
                                    const VariantResult& result, int ranks, double bytes,
                                    const LessonResult& so_far) {
  if (!result.kernel_cold) return {};
  const double seconds = result.kernel_cold->median_s;
  std::vector<Figure> figures{{"predicted", model.predicted_s(ranks, bytes) * 1e6, "us"}};
  const std::string name = variant.grows_with_ranks ? "weak-1" : "strong-1";
  const auto found = std::ranges::find(so_far.variants, name, &VariantResult::name);
  const bool is_itself = result.name == name || found == so_far.variants.end();
  const VariantResult& on_one = is_itself ? result : *found;
  if (on_one.name != name || !on_one.kernel_cold) return figures;
  const double one_device_s = on_one.kernel_cold->median_s * (variant.grows_with_ranks ? ranks : 1);
  figures.push_back({"speed-up", speed_up(one_device_s, seconds), ""});
  figures.push_back({"efficiency", 100 * parallel_efficiency(one_device_s, seconds, ranks), "%"});
  return figures;
}

double bytes_of(const RunContext& context) {
  return context.prepared.problem.min_traffic().bytes_read;
}

}  // namespace

Settings with_gpus(const RunOptions& options, const device::Device& device) {
  Settings settings = options.settings;
  const auto gpus = settings.options.find(gpus_option);
  if (gpus == settings.options.end() || settings.count(gpus_option) > 0) return settings;
  gpus->second =
      static_cast<std::uint64_t>(options.processes ? options.processes->count() : device.device_count());
  return settings;
}

std::string missing_devices(const Variant& variant, const Settings& settings, const device::Device& device) {
  const int needed = variant.ranks;
  if (needed == 0 || needed <= static_cast<int>(settings.count(gpus_option))) return "";
  const bool can_have_more = device.properties().simulated() || device.device_count() >= needed;
  return fmt::format("it needs {0} GPUs{1}", needed, can_have_more ? fmt::format(": --gpus {}", needed) : "");
}

int LessonRanks::count_of(const Variant& variant) const {
  return variant.ranks > 0 ? variant.ranks : static_cast<int>(settings_.count(gpus_option));
}

bool LessonRanks::can_run(const Variant& variant) {
  const int all = static_cast<int>(settings_.count(gpus_option)), count = count_of(variant);
  const bool leaves_process_idle = options_.processes && count < all;
  if (!missing_devices(variant, settings_, device_).empty() || leaves_process_idle) return false;
  Ranks& ranks = ranks_of(count);
  if (!variant.reaches_ranks || ranks.enable_peer_access()) return true;
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
    append(result.findings.figures,
           scaling_figures(*model_, task.variant, result, count, bytes_of(whole), so_far));
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

// Returns the median time of a variant in seconds, without judging it.
double LessonRanks::time_on(int count, std::size_t size, const Variant& variant, double budget_s) {
  Ranks& ranks = ranks_of(count);
  RankedExecution execution(ranks, divided(problems_.at_most(size), count), variant, variant.block.threads,
                            default_instrumentation(variant));
  execution.capture();
  execution.set_checks_messages(false);
  RanksStopwatch stopwatch(ranks, execution);
  return sampled(stopwatch, budget_s).median_s;
}

// Measures the inputs of the prediction: the time on one device with few elements and with a quarter of all,
// and that of the collective operation on 2, 4, 8, ... devices.
ScalingModel LessonRanks::measured_model(const Variant& variant, double budget_s) {
  constexpr std::size_t few = 1024;
  const std::size_t quarter = std::max(2 * few, settings_.size / 4);
  Variant collective = variant;
  collective.on_each_rank = lesson_.shows.scaling_with;
  ScalingModel model;
  model.fixed_s = time_on(1, few, variant, budget_s);
  model.bytes_per_s = bytes_of(problems_.at_most(quarter)) /
                      std::max(1e-9, time_on(1, quarter, variant, budget_s) - model.fixed_s);
  const double collective_on_one_s = time_on(1, few, collective, budget_s);
  for (int ranks = 2; ranks <= static_cast<int>(settings_.count(gpus_option)); ranks *= 2)
    model.collective_s[ranks] =
        std::max(0.0, time_on(ranks, few, collective, budget_s) - collective_on_one_s);
  return model;
}

// Predicts before the variant is measured, which must not affect the prediction.
void LessonRanks::predict(const Variant& variant, double budget_s) {
  model_ = measured_model(variant, budget_s);
  const double bytes = bytes_of(problems_.asked());
  remarks_.push_back(prediction_text(*model_, bytes, bytes / static_cast<double>(settings_.size)));
  options_.remark(remarks_.back());
}

}  // namespace gpulab::run::ranks
