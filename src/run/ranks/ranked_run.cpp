#include <algorithm>

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

class RankedRun {
 public:
  RankedRun(Ranks& ranks, DividedProblem& problem, const VariantTask& task)
      : ranks_(ranks), problem_(problem), task_(task) {
    const LaunchContext at = problem.whole().launch_context(task.block_size);
    result_.name = task.variant.name;
    result_.kernel = task.variant.kernel;
    result_.expected = task.variant.expects.at(at);
    result_.size = at.size();
    result_.computes_all = task.variant.computes.empty();
  }

  VariantResult run() {
    VariantResult mine = result_;
    std::optional<RankedExecution> execution;
    attempt(mine, [&] {
      execution.emplace(ranks_, problem_, task_.variant, task_.block_size,
                        task_.instrumentation.value_or(watched_if_it_races()));
      execution->capture();
      note_launches(*execution, mine);
      run_once(*execution, mine);
      note_launches(*execution, mine);
    });
    agree(mine, "the end of a run");
    tell_defect();
    if (task_.time_budget_s && result_.observed == Outcome::right && result_.expected == Outcome::right)
      take_time(*execution);
    for (int k = 0; k < ranks_.here(); ++k)
      if (device::Instruments* const instruments = ranks_.device(k).instruments())
        std::ranges::copy(instruments->take_notes(), std::back_inserter(result_.notes));
    return std::move(result_);
  }

 private:
  // What goes wrong in this process: other errors than those of the device are of ranks that do not meet.
  void attempt(VariantResult& mine, const std::function<void()>& work) const {
    try {
      work();
    } catch (const device::DeviceError&) {
      note_failure(std::current_exception(), problem_.whole().is_simulated(), mine);
    } catch (const CompileError&) {
      note_failure(std::current_exception(), problem_.whole().is_simulated(), mine);
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      mine.observed = Outcome::faults;
      mine.explanation = error.what();
    }
  }

  // Work of several streams and devices that nothing orders is found by watching it, whatever comes out.
  device::Instrumentation watched_if_it_races() const {
    const bool is_watched = problem_.whole().is_simulated() && result_.expected == Outcome::race;
    return is_watched ? device::Instrumentation::checked : default_instrumentation(task_.variant);
  }

  // The worst of what was seen in this process, in place of what came of it.
  void tell_defect() {
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
  void note_launches(RankedExecution& execution, VariantResult& mine) const {
    for (int k = 0; k < ranks_.here(); ++k) {
      if (!execution.of(k).first_launch()) continue;  // it has no part of the problem
      mine.launch = execution.of(k).first_launch()->config;
      mine.launches = execution.of(k).launches();
      return;
    }
  }

  void run_once(RankedExecution& execution, VariantResult& mine) {
    const double start_s = steady_now_s();
    execution.set_is_careful(true);
    execution.run([&](int k) {
      execution.of(k).reset();
      problem_.part(k).arrays.reset();
      execution.of(k).before();
      ranks_.device(k).synchronize(ranks_.stream(k));
      execution.line_up(k);
    });
    execution.synchronize();
    if (problem_.whole().is_simulated()) mine.simulation_s = steady_now_s() - start_s;
    judge(execution, mine);
  }

  // Of the ranks of this process.
  void judge(RankedExecution& execution, VariantResult& mine) {
    mine.ranks.clear();
    std::optional<VariantResult> worst;
    for (int k = 0; k < ranks_.here(); ++k) {
      VariantResult own = result_;
      judge_rank(problem_.whole(), problem_.part(k), problem_.held(k), task_.variant, execution.of(k), own);
      mine.ranks.push_back(rank_result(k));
      mine.ranks.back().observed = own.observed;
      mine.ranks.back().explanation = own.explanation;
      if (own.observed != Outcome::right && !worst) worst = own;
    }
    mine.observed = worst ? worst->observed : Outcome::right;
    if (!worst) return;
    mine.wrong_elements = worst->wrong_elements;
    mine.first_differences = worst->first_differences;
    mine.pattern = worst->pattern;
  }

  RankResult rank_result(int k) const {
    return {.rank = ranks_.first() + k,
            .device = ranks_.device(k).properties().name,
            .node = ranks_.processes() ? ranks_.processes()->node() : "",
            .part = problem_.held(k).description};
  }

  // Makes of what came of each process what came of all, the same in each.
  void agree(VariantResult& mine, const std::string& where) {
    if (mine.ranks.empty())
      for (int k = 0; k < ranks_.here(); ++k) {
        mine.ranks.push_back(rank_result(k));
        mine.ranks.back().observed = mine.observed;
        mine.ranks.back().explanation = mine.explanation;
      }
    const std::vector<RankResult> own = mine.ranks;
    result_ = std::move(mine);
    result_.ranks.clear();
    for (const std::string& of_process : ranks_.gather(packed(own), where))
      for (const RankResult& rank : unpacked_ranks(of_process)) result_.ranks.push_back(rank);
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

  void take_time(RankedExecution& execution) {
    VariantResult mine = result_;
    mine.ranks.clear();
    attempt(mine, [&] {
      execution.set_is_careful(false);
      RanksStopwatch stopwatch(ranks_, execution);
      const double budget_s = *task_.time_budget_s;
      mine.kernel_cold =
          sample(stopwatch, {.time_budget_s = budget_s, .warm_up_s = std::min(default_warm_up_s, budget_s)});
      mine.warnings = timing_warnings(*mine.kernel_cold);
      run_once(execution, mine);
      for (int k = 0; k < ranks_.here(); ++k)
        mine.ranks[static_cast<std::size_t>(k)].median_s = stopwatch.median_of(k);
    });
    agree(mine, "the end of the timed runs");
    if (result_.observed != Outcome::right)
      result_.explanation = "right before it was timed, but after: " + result_.explanation;
  }

  Ranks& ranks_;
  DividedProblem& problem_;
  const VariantTask& task_;
  VariantResult result_;
};

}  // namespace

double time_on_ranks(Ranks& ranks, DividedProblem& problem, const Variant& variant, unsigned block_size,
                     double budget_s) {
  RankedExecution execution(ranks, problem, variant, block_size, default_instrumentation(variant));
  execution.capture();
  execution.set_is_careful(false);
  RanksStopwatch stopwatch(ranks, execution);
  return sample(stopwatch, {.time_budget_s = budget_s, .warm_up_s = std::min(default_warm_up_s, budget_s)})
      .median_s;
}

VariantResult run_on_ranks(Ranks& ranks, DividedProblem& problem, const VariantTask& task) {
  return RankedRun(ranks, problem, task).run();
}

}  // namespace gpulab::run::ranks
