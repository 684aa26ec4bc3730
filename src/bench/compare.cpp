#include "bench/compare.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/result.hpp"

namespace gpulab::bench {

std::size_t Comparison::count(ChangeKind kind) const {
  return static_cast<std::size_t>(std::ranges::count(changes, kind, &Change::kind));
}

namespace {

// Least gap between the ranges of two sides, as a part of the threshold: 0.5 % at 3 %.
//
// A change is judged by the distance of the medians, and by the gap between the ranges over processes.
// If no gap were required, most false alarms would be comparisons in which two of a side's three processes
// are slow, and the third happens to be just slower than all of the other side. docs/benchmarks.md has the
// model with which this gap was chosen.
constexpr double gap_of_threshold = 1.0 / 6;

// Largest ratio of the two sides' clocks at which times are still judged: a slower clock makes kernels
// slower.
constexpr double max_clock_ratio = 1.03;

// Ratio of the threshold for energy to that for times. The energy counter moves ten times a second, so one
// kernel's energy varies by 2 % between processes on an H200. With the threshold for times, most comparisons
// of equal builds would be inconclusive.
constexpr double energy_threshold_ratio = 3;

// Resolution of an event, and of a series of launches divided by their number.
constexpr double event_resolution_s = 0.5e-6;
constexpr double steady_resolution_s = 0.02e-6;

double threshold_of(FigureUnit unit, const ComparisonRules& rules) {
  return unit == FigureUnit::joules ? energy_threshold_ratio * rules.threshold : rules.threshold;
}

// Returns a sentence if the clock is known and changed between the sides or during one of them; else empty.
std::string clock_change_text(const BenchFigure& before, const BenchFigure& now) {
  if (before.clocks_hz.empty() || now.clocks_hz.empty()) return {};
  const double hz_before = median(before.clocks_hz), hz_now = median(now.clocks_hz);
  if (std::max(hz_before, hz_now) > max_clock_ratio * std::min(hz_before, hz_now))
    return fmt::format("the multiprocessors ran at {} before and {} now: measure both at the same clock",
                       clock_text(hz_before), clock_text(hz_now));
  for (const auto& [figure, when] : {std::pair(&before, "before"), std::pair(&now, "now")}) {
    const auto [low, high] = std::ranges::minmax(figure->clocks_hz);
    if (high > max_clock_ratio * low)
      return fmt::format(
          "the clock of the multiprocessors varied from {} to {} {}: measure again when the GPU is cool",
          clock_text(low), clock_text(high), when);
  }
  return {};
}

// Judges a count, which is exact.
void judge_count(const BenchFigure& before, const BenchFigure& now, Change& change) {
  if (before.range || now.range) {
    change.kind = ChangeKind::inconclusive;
    change.reason = std::string("processes counted differently ") + (now.range ? "now" : "before") +
                    ": the kernel does not do the same at each run";
  } else if (now.value != before.value) {
    change.kind = now.value > before.value ? ChangeKind::regressed : ChangeKind::improved;
  }
}

// Judges by the ratio and its range alone; judge_measured() also looks at small differences and at clocks.
ChangeKind kind_of(double ratio, const Interval& range, double threshold) {
  const double limit = 1 + threshold;
  const double min_gap_ratio = 1 + threshold * gap_of_threshold;
  if (ratio >= limit && range.low > min_gap_ratio) return ChangeKind::regressed;
  if (ratio <= 1 / limit && range.high < 1 / min_gap_ratio) return ChangeKind::improved;
  if (range.low >= 1 / limit && range.high <= limit) return ChangeKind::same;
  return ChangeKind::inconclusive;
}

double least_difference_s(const BenchFigure& now, const ComparisonRules& rules) {
  return rules.min_difference_s.value_or(min_difference_s(now.name));
}

// Returns whether a difference of times is within their smallest difference.
bool is_too_little(double difference_s, const BenchFigure& now, const ComparisonRules& rules) {
  return now.unit == FigureUnit::seconds && std::abs(difference_s) < least_difference_s(now, rules);
}

void judge_measured(const BenchFigure& before, const BenchFigure& now, const ComparisonRules& rules,
                    Change& change) {
  const bool are_alike = is_too_little(now.value - before.value, now, rules);
  const double slowest = change.ratio_range ? change.ratio_range->high : 1;
  if (are_alike &&
      (slowest <= 1 + rules.threshold || is_too_little((slowest - 1) * before.value, now, rules))) {
    change.kind = ChangeKind::same;
    if (change.ratio > 1 + rules.threshold)
      change.reason = "less than " + duration_text(least_difference_s(now, rules));
    return;
  }
  change.kind = ChangeKind::inconclusive;
  if (!change.ratio) {
    change.reason = "the value before is 0, so there is no ratio";
  } else if (!change.ratio_range) {
    change.reason = "one process with too few samples for an interval: measure it with --runs 3";
  } else {
    const ChangeKind kind = are_alike
                                ? ChangeKind::inconclusive
                                : kind_of(*change.ratio, *change.ratio_range, threshold_of(now.unit, rules));
    const std::string clocks = kind == ChangeKind::same ? "" : clock_change_text(before, now);
    if (clocks.empty()) change.kind = kind;
    change.reason = clocks;
    if (clocks.empty() && kind == ChangeKind::inconclusive)
      change.reason =
          fmt::format("between {} and {}: measure again with more --runs",
                      with_decimals(change.ratio_range->low, 3), with_decimals(change.ratio_range->high, 3));
  }
}

}  // namespace

double min_difference_s(const std::string& figure) {
  return figure == name_of(BenchTime::steady) ? steady_resolution_s : event_resolution_s;
}

Change judged(const BenchCase& what, const BenchFigure& before, const BenchFigure& now,
              const ComparisonRules& rules) {
  Change change{.what = what, .figure = now.name, .unit = now.unit, .before = before.value, .now = now.value};
  if (before.value > 0) change.ratio = now.value / before.value;
  if (before.range && now.range && before.range->low > 0 && now.unit != FigureUnit::count)
    change.ratio_range =
        Interval{.low = now.range->low / before.range->high, .high = now.range->high / before.range->low};
  if (now.unit == FigureUnit::count)
    judge_count(before, now, change);
  else
    judge_measured(before, now, rules, change);
  return change;
}

namespace {

Change change_of_case(const CaseFigures& measured, ChangeKind kind, std::string reason) {
  Change change{.what = measured.what, .kind = kind, .reason = std::move(reason)};
  if (!measured.valid) {
    change.observed = measured.observed;
    change.code = exit_code_of(VariantResult{.expected = measured.expected, .observed = measured.observed});
  }
  return change;
}

const BenchFigure* find_figure(const CaseFigures& measured, const std::string& name) {
  return find_or_null(measured.figures, name, &BenchFigure::name);
}

enum class Side { before, now };

Change one_sided(const CaseFigures& measured, const BenchFigure& figure, Side side) {
  const bool is_now = side == Side::now;
  Change change{.what = measured.what, .figure = figure.name, .unit = figure.unit};
  (is_now ? change.now : change.before) = figure.value;
  change.kind = is_now ? ChangeKind::is_new : ChangeKind::missing;
  change.reason = is_now ? "not measured before" : "not measured now";
  if (!is_cost(measured.kind, figure.name)) change.kind = ChangeKind::not_judged;
  return change;
}

// Allows more bytes where they lie in fewer sectors, which are what memory transfers.
void allow_bytes_in_fewer_sectors(std::span<Change> of_case) {
  constexpr std::string_view bytes = "_bytes";
  for (Change& change : of_case) {
    if (change.kind != ChangeKind::regressed || !change.figure.ends_with(bytes)) continue;
    const std::string sectors = change.figure.substr(0, change.figure.size() - bytes.size()) + "_sectors";
    const auto found = std::ranges::find(of_case, sectors, &Change::figure);
    if (found == of_case.end() || found->kind != ChangeKind::improved) continue;
    change.kind = ChangeKind::allowed;
    change.reason = "they lie in fewer sectors";
  }
}

void compare_figures(const CaseFigures& before, const CaseFigures& now, const ComparisonRules& rules,
                     std::vector<Change>& changes) {
  const std::size_t first = changes.size();
  for (const BenchFigure& figure : now.figures) {
    const BenchFigure* const earlier = find_figure(before, figure.name);
    changes.push_back(earlier ? judged(now.what, *earlier, figure, rules)
                              : one_sided(now, figure, Side::now));
    if (earlier && !is_cost(now.kind, figure.name)) {
      changes.back().kind = ChangeKind::not_judged;
      changes.back().reason.clear();
    }
  }
  for (const BenchFigure& figure : before.figures)
    if (!find_figure(now, figure.name)) changes.push_back(one_sided(before, figure, Side::before));
  allow_bytes_in_fewer_sectors(std::span(changes).subspan(first));
}

// Returns what is counted, whatever the kind of access: "sectors" for "global_load_sectors".
std::string counted_quantity(const std::string& figure) {
  const std::size_t after_memory = figure.find('_');
  const std::size_t after_access =
      after_memory == figure.npos ? figure.npos : figure.find('_', after_memory + 1);
  return after_access == figure.npos ? figure : figure.substr(after_access + 1);
}

// Returns "global_load" for "global_load_sectors"; empty if the count is not about an access.
std::string access_of(const std::string& figure) {
  const std::string counted = counted_quantity(figure);
  return counted == figure ? "" : figure.substr(0, figure.size() - counted.size() - 1);
}

template <class PartOf>
std::set<std::string> parts_of_count_names(const CaseFigures& measured, const PartOf& part_of) {
  std::set<std::string> parts;
  for (const BenchFigure& figure : measured.figures)
    if (figure.unit == FigureUnit::count) parts.insert(part_of(figure.name));
  return parts;
}

// Adds, as 0, each count of `other` that `measured` lacks and for which `is_zero` is true.
template <class IsZero>
CaseFigures with_zeros(CaseFigures measured, const CaseFigures& other, const IsZero& is_zero) {
  for (const BenchFigure& figure : other.figures)
    if (figure.unit == FigureUnit::count && !find_figure(measured, figure.name) && is_zero(figure.name))
      measured.figures.push_back({.name = figure.name, .unit = FigureUnit::count});
  return measured;
}

// Returns "global" for "global_load_sectors".
std::string memory_of(const std::string& figure) {
  return figure.substr(0, figure.find('_'));
}

// Documents leave out counts of 0. Adds a count to the earlier figures if they have the same quantity for
// some other access, and some other count for the same memory: then a first atomic is a change from 0.
// Otherwise the count is new, as when shared memory is used for the first time: more accesses of one kind may
// be the reason why there are fewer of another. By strict rules, each such count is a change from 0, too.
CaseFigures with_zeros_before(const CaseFigures& before, const CaseFigures& now, bool is_strict) {
  const std::set<std::string> counted = parts_of_count_names(before, counted_quantity);
  const std::set<std::string> memories = parts_of_count_names(before, memory_of);
  return with_zeros(before, now, [&](const std::string& figure) {
    return is_strict || (counted.contains(counted_quantity(figure)) && memories.contains(memory_of(figure)));
  });
}

// Documents leave out counts of 0. Adds a count to the later figures if its kind of access has no counts any
// more while other kinds have some. If only one count of a kind is gone, it was not measured, and need not be
// 0.
CaseFigures with_zeros_now(const CaseFigures& now, const CaseFigures& before) {
  std::set<std::string> accesses = parts_of_count_names(now, access_of);
  accesses.erase("");
  return with_zeros(now, before, [&](const std::string& figure) {
    const std::string access = access_of(figure);
    return !access.empty() && !accesses.empty() && !accesses.contains(access);
  });
}

// Compares a case before and now. Figures of wrong results are not compared: they mean nothing.
void compare_cases(const CaseFigures& before, const CaseFigures& now, const ComparisonRules& rules,
                   std::vector<Change>& changes) {
  if (before.valid && now.valid)
    return compare_figures(with_zeros_before(before, now, rules.is_strict), with_zeros_now(now, before),
                           rules, changes);
  if (before.was_run != now.was_run)
    return changes.push_back(
        now.was_run ? change_of_case(now, ChangeKind::is_new, "not run before: " + before.explanation)
                    : change_of_case(now, ChangeKind::missing, "not run: " + now.explanation));
  if (!now.valid && before.valid)
    return changes.push_back(change_of_case(now, ChangeKind::invalid, now.explanation));
  changes.push_back(
      now.valid ? change_of_case(now, ChangeKind::incomparable,
                                 "right now, and wrong before: " + before.explanation)
                : change_of_case(now, ChangeKind::incomparable, "wrong before and now: " + now.explanation));
}

std::vector<Change> all_changes(const std::vector<CaseFigures>& before, const std::vector<CaseFigures>& now,
                                const ComparisonRules& rules) {
  std::map<std::string, const CaseFigures*> earlier;
  for (const CaseFigures& measured : before) earlier[id_of(measured.what)] = &measured;
  std::vector<Change> changes;
  for (const CaseFigures& measured : now) {
    const auto found = earlier.find(id_of(measured.what));
    if (found == earlier.end()) {
      changes.push_back(measured.valid ? change_of_case(measured, ChangeKind::is_new, "")
                                       : change_of_case(measured, ChangeKind::incomparable,
                                                        "new, and wrong: " + measured.explanation));
      continue;
    }
    compare_cases(*found->second, measured, rules, changes);
    earlier.erase(found);
  }
  for (const CaseFigures& measured : before)
    if (earlier.contains(id_of(measured.what)))
      changes.push_back(change_of_case(measured, ChangeKind::missing, ""));
  return changes;
}

// Sorts by kind and, within a kind, the largest change first; equal ones by lesson and variant.
void sort_worst_first(std::vector<Change>& changes) {
  const auto distance_from_same = [](const Change& change) {
    return change.ratio && *change.ratio > 0 ? std::abs(std::log(*change.ratio)) : 0;
  };
  std::ranges::stable_sort(changes, {}, [&](const Change& change) {
    return std::tuple(change.kind, -distance_from_same(change), change.what.lesson,
                      change.ratio ? change.what.variant : "");
  });
}

BenchResult without_samples(BenchResult result) {
  for (BenchRow& row : result.rows)
    for (auto& [time, timing] : row.times) timing.samples_s = timing.clocks_hz = {};
  return result;
}

// Returns the largest number of processes that measured a figure.
std::size_t processes_in(const std::vector<CaseFigures>& cases) {
  std::size_t processes = 0;
  for (const CaseFigures& measured : cases)
    for (const BenchFigure& figure : measured.figures) processes = std::max(processes, figure.processes);
  return processes;
}

void require_measured(const std::vector<CaseFigures>& cases, const std::string& when) {
  const auto has_figures = [](const CaseFigures& tried) { return !tried.figures.empty() || !tried.valid; };
  if (std::ranges::none_of(cases, has_figures))
    throw UsageError("nothing was timed or counted " + when + ", so there is nothing to compare");
}

// Refuses a comparison that judged nothing: a CI check that passes for that reason is worse than none.
void require_judged(const std::vector<Change>& changes) {
  const auto is_judged = [](const Change& change) {
    return change.is_repaired() || (change.kind != ChangeKind::not_judged &&
                                    change.kind != ChangeKind::is_new && change.kind != ChangeKind::missing);
  };
  if (std::ranges::none_of(changes, is_judged))
    throw UsageError("no kernel was timed or counted both before and now, so there is nothing to compare");
}

}  // namespace

Comparison compared(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now,
                    const ComparisonRules& rules) {
  refuse_other_devices(before, now);
  refuse_other_kernels(before, "before");
  refuse_other_kernels(now, "now");
  const std::vector<CaseFigures> cases_before = case_figures(before), cases_now = case_figures(now);
  const bool is_all_new = lack_all_lessons(before, cases_now);
  if (!is_all_new) require_measured(cases_before, "before");
  require_measured(cases_now, "now");
  if (!is_all_new) require_common_cases(cases_before, cases_now);
  Comparison comparison{.rules = rules,
                        .processes_before = processes_in(cases_before),
                        .processes_now = processes_in(cases_now),
                        .changes = all_changes(cases_before, cases_now, rules),
                        .remarks = remarks_on(before, now)};
  if (!is_all_new) require_judged(comparison.changes);
  allow(rules.may_grow, comparison);
  for (std::string& doubt : doubts_about(before, now)) comparison.doubt(std::move(doubt));
  doubt_order(before, now, comparison);
  const auto is_judged = [&](const Change& change) {
    return (change.before && change.now && change.kind != ChangeKind::not_judged) || change.is_repaired() ||
           is_failure(change, rules);
  };
  if (!is_all_new && std::ranges::none_of(comparison.changes, is_judged))
    comparison.doubt("no figure was compared");
  if (std::string advice = advice_on_allowing(comparison, ChangeKind::missing);
      rules.is_strict && !advice.empty())
    comparison.doubt(std::move(advice));
  const auto is_counted = [](const Change& change) {
    return change.kind == ChangeKind::regressed && !change.has_threshold();
  };
  if (rules.threshold != ComparisonRules{}.threshold && std::ranges::any_of(comparison.changes, is_counted))
    comparison.remarks.emplace_back("counts are compared exactly; the threshold is for times");
  if (std::string advice = advice_on_allowing(comparison, ChangeKind::regressed); !advice.empty())
    comparison.remarks.push_back(std::move(advice));
  if (!before.front().device.simulated() &&
      std::min(comparison.processes_before, comparison.processes_now) == 1)
    comparison.remarks.push_back(
        "one process shows nothing of how processes differ, which is the larger noise: measure with --runs 3");
  if (std::string uncounted = uncounted_text(cases_now, now.front().device);
      rules.is_strict && !uncounted.empty()) {
    comparison.not_judged = "not judged: " + uncounted;
    if (now.front().device.simulated()) comparison.not_judged += "; time it on a GPU";
    comparison.remarks.push_back(comparison.not_judged);
  }
  sort_worst_first(comparison.changes);
  for (const BenchResult& result : before) comparison.before.push_back(without_samples(result));
  for (const BenchResult& result : now) comparison.now.push_back(without_samples(result));
  return comparison;
}

void require_comparable(const std::vector<BenchResult>& before, const DeviceProperties& device,
                        const std::vector<BenchCase>& cases, const ComparisonRules& rules) {
  refuse_other_devices(before, {BenchResult{.facts = before.front().facts, .device = device}});
  std::vector<CaseFigures> cases_before = case_figures(before), planned;
  std::erase_if(cases_before, [](const CaseFigures& measured) { return measured.kind == BenchKind::cpu; });
  for (const BenchCase& what : cases)
    if (!is_reference(what.variant)) planned.push_back({.what = what});
  if (!lack_all_lessons(before, planned)) {
    require_measured(cases_before, "before");
    require_common_cases(cases_before, planned);
  }
  require_allowable(rules.may_grow);
}

}  // namespace gpulab::bench
