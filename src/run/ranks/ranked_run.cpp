#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/text.hpp"
#include "lesson/finding.hpp"
#include "run/documents.hpp"
#include "run/ranks/lesson_ranks.hpp"
#include "run/ranks/ranked_execution.hpp"
#include "run/sampling.hpp"

namespace gpulab::run::ranks {
namespace {

// "elements 250 to 499: each count is ..."
std::string of_rank(const RankResult& rank) {
  return "rank " + std::to_string(rank.rank) + " (" + rank.part + "): " + rank.explanation;
}

std::vector<device::Device*> devices_of(const Ranks& ranks) {
  std::vector<device::Device*> devices;
  for (int k = 0; k < ranks.here(); ++k) devices.push_back(&ranks.device(k));
  return devices;
}

// In this process, the result is that of its own ranks until it agrees with the others.
class RankedRun : public VariantRun {
 public:
  RankedRun(Ranks& ranks, DividedProblem& problem, const VariantTask& task)
      : VariantRun(problem.whole(), task, devices_of(ranks)), ranks_(ranks), problem_(problem) {}

 private:
  // Other errors than those of the device are of ranks that do not meet.
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
                       task_.instrumentation.value_or(watched_if_it_races()));
    execution_->capture();
    note_launches();
    run_and_judge();
    note_launches();
  }

  void let_go() override { execution_.reset(); }

  // Work of several streams and devices that nothing orders is found by watching it, whatever comes out.
  device::Instrumentation watched_if_it_races() const {
    const bool is_watched = context_.is_simulated() && result_.expected == Outcome::race;
    return is_watched ? device::Instrumentation::checked : default_instrumentation(task_.variant);
  }

  // The worst of what was seen in this process, in place of what came of it.
  void tell_defects() override {
    device::Instruments* const instruments = ranks_.device(0).instruments();
    if (!instruments) return;
    const std::vector<Defect> defects = by_severity(instruments->take_defects());
    if (defects.empty()) return;
    result_.explanation =
        explanation_of(defects.front(), [this](std::uintptr_t address) { return element_at(address); });
    result_.failure = Failure{.kind = defects.front().kind, .line = defects.front().party.line};
    const bool is_told_by_the_result =
        result_.expected == Outcome::race || result_.observed == Outcome::faults;
    if (!is_told_by_the_result) result_.observed = Outcome::defect;
  }

  // "output[3] of rank 1".
  std::string element_at(std::uintptr_t address) {
    for (int k = 0; k < ranks_.here(); ++k)
      if (const std::string element = problem_.part(k).arrays.element_at(address); !element.empty())
        return element + " of rank " + std::to_string(ranks_.first() + k);
    return "";
  }

  // A graph launches what was launched when it was captured.
  void note_launches() {
    for (int k = 0; k < ranks_.here(); ++k) {
      if (!execution_->of(k).first_launch()) continue;  // it has no part of the problem
      result_.launch = execution_->of(k).first_launch()->config;
      result_.launches = execution_->of(k).launches();
      return;
    }
  }

  void run_and_judge() {
    const double start_s = steady_now_s();
    execution_->set_is_careful(true);
    execution_->run([&](int k) {
      execution_->of(k).reset();
      problem_.part(k).arrays.reset();
      execution_->of(k).before();
      ranks_.device(k).synchronize(ranks_.stream(k));
      execution_->line_up(k);
    });
    execution_->synchronize();
    if (context_.is_simulated()) result_.simulation_s = steady_now_s() - start_s;
    judge();
  }

  // Of the ranks of this process.
  void judge() {
    std::optional<VariantResult> worst;
    for (int k = 0; k < ranks_.here(); ++k) {
      VariantResult own = begun_result(context_, task_.variant, task_.block_size);
      judge_rank(context_, problem_.part(k), problem_.held(k), task_.variant, execution_->of(k), own);
      result_.ranks.push_back(rank_result(k, own));
      if (own.observed != Outcome::right && !worst) worst = own;
    }
    result_.observed = worst ? worst->observed : Outcome::right;
    if (!worst) return;
    result_.wrong_elements = worst->wrong_elements;
    result_.first_differences = worst->first_differences;
    result_.pattern = worst->pattern;
  }

  RankResult rank_result(int k, const VariantResult& of_it) const {
    return {.rank = ranks_.first() + k,
            .device = ranks_.device(k).properties().name,
            .node = ranks_.processes() ? ranks_.processes()->node() : "",
            .part = problem_.held(k).description,
            .observed = of_it.observed,
            .explanation = of_it.explanation};
  }

  // Makes of what came of each process what came of all, the same in each.
  void agree(const std::string& where) {
    std::vector<RankResult> own = std::exchange(result_.ranks, {});
    if (own.empty())
      for (int k = 0; k < ranks_.here(); ++k) own.push_back(rank_result(k, result_));
    for (const std::string& of_process : ranks_.gather(packed(own), where))
      std::ranges::move(unpacked_ranks(of_process), std::back_inserter(result_.ranks));
    const auto bad = std::ranges::find_if(
        result_.ranks, [](const RankResult& rank) { return rank.observed != Outcome::right; });
    result_.observed = bad == result_.ranks.end() ? Outcome::right : bad->observed;
    if (bad == result_.ranks.end()) return;
    const bool ran = bad->observed == Outcome::wrong || bad->observed == Outcome::out_of_bounds;
    result_.explanation = ran ? of_rank(*bad) : bad->explanation;
    const auto others = std::ranges::count_if(
        result_.ranks, [](const RankResult& rank) { return rank.observed != Outcome::right; });
    if (ran && others > 1)
      result_.explanation +=
          " (" + std::to_string(others) + " of " + std::to_string(result_.ranks.size()) + " ranks are wrong)";
  }

  void take_time(double budget_s) override {
    result_.ranks.clear();
    execution_->set_is_careful(false);
    RanksStopwatch stopwatch(ranks_, *execution_);
    result_.kernel_cold = sampled(stopwatch, budget_s);
    result_.warnings = timing_warnings(*result_.kernel_cold);
    run_and_judge();
    for (int k = 0; k < ranks_.here(); ++k)
      result_.ranks[static_cast<std::size_t>(k)].median_s = stopwatch.median_of(k);
  }

  Ranks& ranks_;
  DividedProblem& problem_;
  std::optional<RankedExecution> execution_;  // none before it has been compiled
};

}  // namespace

double time_on_ranks(Ranks& ranks, DividedProblem& problem, const Variant& variant, unsigned block_size,
                     double budget_s) {
  RankedExecution execution(ranks, problem, variant, block_size, default_instrumentation(variant));
  execution.capture();
  execution.set_is_careful(false);
  RanksStopwatch stopwatch(ranks, execution);
  return sampled(stopwatch, budget_s).median_s;
}

VariantResult run_on_ranks(Ranks& ranks, DividedProblem& problem, const VariantTask& task) {
  return RankedRun(ranks, problem, task).run();
}

}  // namespace gpulab::run::ranks
