#include "bench/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bench/comparable.hpp"
#include "bench/judge.hpp"

namespace gpulab::bench {
namespace {

Change of_case(const CaseFigures& one, ChangeKind kind, std::string reason) {
  return {.what = one.what, .kind = kind, .reason = std::move(reason)};
}

const BenchFigure* find_figure(const CaseFigures& one, const std::string& name) {
  const auto found = std::ranges::find(one.figures, name, &BenchFigure::name);
  return found == one.figures.end() ? nullptr : &*found;
}

Change one_sided(const CaseFigures& one, const BenchFigure& figure, bool is_now) {
  Change change{.what = one.what, .figure = figure.name, .unit = figure.unit};
  (is_now ? change.now : change.before) = figure.value;
  change.kind = is_now ? ChangeKind::is_new : ChangeKind::missing;
  change.reason = is_now ? "not measured before" : "not measured now";
  if (!is_cost(one.kind, figure.name)) change.kind = ChangeKind::not_judged;
  return change;
}

void compare_figures(const CaseFigures& before, const CaseFigures& now, const ComparisonRules& rules,
                     std::vector<Change>& changes) {
  for (const BenchFigure& figure : now.figures) {
    const BenchFigure* const earlier = find_figure(before, figure.name);
    changes.push_back(earlier ? judged(now.what, *earlier, figure, rules) : one_sided(now, figure, true));
    if (earlier && !is_cost(now.kind, figure.name)) {
      changes.back().kind = ChangeKind::not_judged;
      changes.back().reason.clear();
    }
  }
  for (const BenchFigure& figure : before.figures)
    if (!find_figure(now, figure.name)) changes.push_back(one_sided(before, figure, false));
}

// "sectors" of "global_load_sectors", whatever accessed memory.
std::string what_is_counted(const std::string& figure) {
  const std::size_t access = figure.find('_');
  const std::size_t kind = access == figure.npos ? access : figure.find('_', access + 1);
  return kind == figure.npos ? figure : figure.substr(kind + 1);
}

// "global_load" of "global_load_sectors"; empty for what is counted of no access.
std::string access_of(const std::string& figure) {
  const std::string counted = what_is_counted(figure);
  return counted == figure ? "" : figure.substr(0, figure.size() - counted.size() - 1);
}

template <class Word>
std::set<std::string> words_of_counts(const CaseFigures& one, const Word& word) {
  std::set<std::string> words;
  for (const BenchFigure& figure : one.figures)
    if (figure.unit == FigureUnit::count) words.insert(word(figure.name));
  return words;
}

template <class Is>
CaseFigures with_zeros(CaseFigures one, const CaseFigures& other, const Is& is_zero) {
  for (const BenchFigure& figure : other.figures)
    if (figure.unit == FigureUnit::count && !find_figure(one, figure.name) && is_zero(figure.name))
      one.figures.push_back({.name = figure.name, .unit = FigureUnit::count});
  return one;
}

// A document does not say that there was nothing to count. It counted nothing if it counted the same of other
// accesses: then a first atomic is a change from 0. Where it did not, such as shared memory that is used for
// the first time, the count is new, because more of it can be what makes others fewer.
CaseFigures with_zeros_before(const CaseFigures& before, const CaseFigures& now) {
  const std::set<std::string> counted = words_of_counts(before, what_is_counted);
  return with_zeros(before, now,
                    [&](const std::string& figure) { return counted.contains(what_is_counted(figure)); });
}

// A kernel no longer makes an access of which nothing is counted now, while others are. One count that is
// gone while others of its access are there was not measured, and nobody can say that it became 0.
CaseFigures with_zeros_now(const CaseFigures& now, const CaseFigures& before) {
  std::set<std::string> accesses = words_of_counts(now, access_of);
  accesses.erase("");
  return with_zeros(now, before, [&](const std::string& figure) {
    const std::string access = access_of(figure);
    return !access.empty() && !accesses.empty() && !accesses.contains(access);
  });
}

// What is wrong has no figures that mean anything.
void compare_cases(const CaseFigures& before, const CaseFigures& now, const ComparisonRules& rules,
                   std::vector<Change>& changes) {
  if (before.valid && now.valid)
    return compare_figures(with_zeros_before(before, now), with_zeros_now(now, before), rules, changes);
  if (before.was_run != now.was_run)
    return changes.push_back(now.was_run
                                 ? of_case(now, ChangeKind::is_new, "not run before: " + before.explanation)
                                 : of_case(now, ChangeKind::missing, "not run: " + now.explanation));
  if (!now.valid && before.valid)
    return changes.push_back(of_case(now, ChangeKind::invalid, now.explanation));
  changes.push_back(of_case(now, ChangeKind::incomparable,
                            now.valid ? "right now, and wrong before: " + before.explanation
                                      : "wrong before and now: " + now.explanation));
}

std::vector<Change> all_changes(const std::vector<CaseFigures>& before, const std::vector<CaseFigures>& now,
                                const ComparisonRules& rules) {
  std::map<std::string, const CaseFigures*> earlier;
  for (const CaseFigures& one : before) earlier[id_of(one.what)] = &one;
  std::vector<Change> changes;
  for (const CaseFigures& one : now) {
    const auto found = earlier.find(id_of(one.what));
    if (found == earlier.end()) {
      changes.push_back(one.valid
                            ? of_case(one, ChangeKind::is_new, "")
                            : of_case(one, ChangeKind::incomparable, "new, and wrong: " + one.explanation));
      continue;
    }
    compare_cases(*found->second, one, rules, changes);
    earlier.erase(found);
  }
  for (const CaseFigures& one : before)
    if (earlier.contains(id_of(one.what))) changes.push_back(of_case(one, ChangeKind::missing, ""));
  return changes;
}

// Of two that are alike in kind, that which changed by more comes first.
void sort_worst_first(std::vector<Change>& changes) {
  const auto extent = [](const Change& change) {
    return change.ratio && *change.ratio > 0 ? std::abs(std::log(*change.ratio)) : 0;
  };
  std::ranges::stable_sort(changes, [&](const Change& a, const Change& b) {
    return a.kind != b.kind ? a.kind < b.kind : extent(a) > extent(b);
  });
}

BenchResult without_samples(const BenchResult& result) {
  BenchResult copy{.facts = result.facts,
                   .device = result.device,
                   .plan = result.plan,
                   .ceilings = result.ceilings,
                   .claims = result.claims,
                   .stopped_by = result.stopped_by,
                   .remarks = result.remarks};
  for (const BenchRow& row : result.rows) {
    BenchRow bare = row;
    for (auto& [time, timing] : bare.times) timing.samples_s.clear(), timing.clocks_hz.clear();
    copy.rows.push_back(std::move(bare));
  }
  return copy;
}

std::size_t processes_in(const std::vector<CaseFigures>& cases) {
  std::size_t most = 0;
  for (const CaseFigures& one : cases)
    for (const BenchFigure& figure : one.figures) most = std::max(most, figure.processes);
  return most;
}

void refuse_nothing_measured(const std::vector<CaseFigures>& cases, const std::string& when) {
  const auto has_figures = [](const CaseFigures& one) { return !one.figures.empty() || !one.valid; };
  if (std::ranges::none_of(cases, has_figures))
    throw UsageError("nothing was timed or counted " + when + ", so there is nothing to compare");
}

// A gate that is green because it looked at nothing would be worse than none.
void refuse_nothing_judged(const std::vector<Change>& changes) {
  const auto says_something = [](const Change& change) {
    return change.kind != ChangeKind::not_judged && change.kind != ChangeKind::is_new &&
           change.kind != ChangeKind::missing;
  };
  if (std::ranges::none_of(changes, says_something))
    throw UsageError("no kernel was timed or counted both before and now, so there is nothing to compare");
}

}  // namespace

Comparison compared(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now,
                    const ComparisonRules& rules) {
  refuse_other_devices(before, now);
  const std::vector<CaseFigures> old = case_figures(before), fresh = case_figures(now);
  refuse_nothing_measured(old, "before");
  refuse_nothing_measured(fresh, "now");
  refuse_nothing_in_common(old, fresh);
  Comparison comparison{.rules = rules,
                        .processes_before = processes_in(old),
                        .processes_now = processes_in(fresh),
                        .changes = all_changes(old, fresh, rules),
                        .remarks = remarks_on(before, now)};
  refuse_nothing_judged(comparison.changes);
  if (!before.front().device.simulated() &&
      std::min(comparison.processes_before, comparison.processes_now) == 1)
    comparison.remarks.push_back(
        "one process shows nothing of how processes differ, which is the larger noise: measure with --runs "
        "3");
  sort_worst_first(comparison.changes);
  for (const BenchResult& result : before) comparison.before.push_back(without_samples(result));
  for (const BenchResult& result : now) comparison.now.push_back(without_samples(result));
  return comparison;
}

}  // namespace gpulab::bench
