#include "bench/judge.hpp"

#include <algorithm>
#include <cmath>

#include "core/median.hpp"
#include "core/text.hpp"

namespace gpulab::bench {
namespace {

// How far apart the ranges of two sides must be, as a part of the threshold: 0.5 % at 3 %.
//
// Two things decide: how far the medians are apart, and whether the ranges over processes are. In a model of
// 200 samples in each process, with 1 % of outliers, an offset for each process and, in the last two rows,
// where offsets are 0.2 %, a slow mode 4 % above the other, these were the false alarms of the same code and
// the detections of one that is 5 % slower, in percent of 6 000 comparisons (2 000 in the first column) of
// three processes with three, at 3 %:
//
//                            ratio alone   ranges apart   by 0.5 %      by 1 %
//   offsets of 0.3 %           0 / 100       0 / 100        0 / 100       0 / 100
//   offsets of 1 %           0.2 / 97.5   0.05 / 97.4    0.03 / 96.9   0.03 / 95.7
//   5 % are in a slow mode   1.2 / 99.4   0.37 / 99.1    0.02 / 97.2   0.02 / 88.7
//   15 % are in a slow mode   11 / 94.5    2.2 / 94.6    0.42 / 91.0   0.38 / 69.8
//
// A gap is worth its price because two slow processes of three and a third that is above the other side's by
// luck are the commonest false alarm. With one process a side (26 % of false alarms in the last row), no rule
// on its samples helps. The largest and the smallest of K say less the more there are: from six on, order
// statistics take their place.
constexpr double gap_of_threshold = 1.0 / 6;

// A slower clock makes every kernel slower, in part.
constexpr double max_clock_ratio = 1.03;

// Of energy. Its counter moves ten times a second, so that the same kernel's energy varies by 2 % between
// processes on an H200: by the threshold of times, most comparisons of a build with itself tell nothing.
constexpr double energy_threshold_ratio = 3;

// What an event resolves, and what launches one after another resolve, by their number.
constexpr double event_resolution_s = 0.5e-6;
constexpr double steady_resolution_s = 0.02e-6;

std::string times(double ratio) {
  return with_decimals(ratio, 3);
}

double threshold_of(FigureUnit unit, const ComparisonRules& rules) {
  return unit == FigureUnit::joules ? energy_threshold_ratio * rules.threshold : rules.threshold;
}

// Whether clocks were different, or differed from sample to sample; empty where they were not, or nobody
// tells.
std::string clock_trouble(const BenchFigure& before, const BenchFigure& now) {
  if (before.clocks_hz.empty() || now.clocks_hz.empty()) return {};
  const double was = median(before.clocks_hz), is = median(now.clocks_hz);
  if (std::max(was, is) > max_clock_ratio * std::min(was, is))
    return "the multiprocessors ran at " + megahertz(was) + " before and " + megahertz(is) +
           " now: measure both at the same clock";
  for (const auto& [figure, when] : {std::pair(&before, "before"), std::pair(&now, "now")}) {
    const auto [low, high] = std::ranges::minmax(figure->clocks_hz);
    if (high > max_clock_ratio * low)
      return "the clock of the multiprocessors went from " + megahertz(low) + " to " + megahertz(high) + " " +
             when + ": measure it again when the GPU is cool";
  }
  return {};
}

// Exact, on every machine.
void judge_count(const BenchFigure& before, const BenchFigure& now, Change& change) {
  if (before.range || now.range) {
    change.kind = ChangeKind::inconclusive;
    change.reason = std::string("processes counted differently ") + (now.range ? "now" : "before") +
                    ": the kernel does not do the same at each run";
  } else if (now.value != before.value) {
    change.kind = now.value > before.value ? ChangeKind::regressed : ChangeKind::improved;
  }
}

// By the ranges alone; clocks and small differences come after.
ChangeKind kind_of(double ratio, const Interval& range, double threshold) {
  const double most = 1 + threshold, apart = 1 + threshold * gap_of_threshold;
  if (ratio >= most && range.low > apart) return ChangeKind::regressed;
  if (ratio <= 1 / most && range.high < 1 / apart) return ChangeKind::improved;
  if (range.low >= 1 / most && range.high <= most) return ChangeKind::same;
  return ChangeKind::inconclusive;
}

bool is_too_small(const BenchFigure& before, const BenchFigure& now, const ComparisonRules& rules) {
  if (now.unit != FigureUnit::seconds) return false;
  return std::abs(now.value - before.value) < rules.min_difference_s.value_or(min_difference_s(now.name));
}

void judge_measured(const BenchFigure& before, const BenchFigure& now, const ComparisonRules& rules,
                    Change& change) {
  if (is_too_small(before, now, rules)) {
    change.kind = ChangeKind::same;
    return;
  }
  change.kind = ChangeKind::inconclusive;
  if (!change.ratio) {
    change.reason = "nothing was measured that can be divided";
  } else if (!change.ratio_range) {
    change.reason = "one process with too few samples for an interval: measure it with --runs 3";
  } else {
    const ChangeKind kind = kind_of(*change.ratio, *change.ratio_range, threshold_of(now.unit, rules));
    const std::string clocks = kind == ChangeKind::same ? "" : clock_trouble(before, now);
    if (clocks.empty()) change.kind = kind;
    change.reason = clocks;
    if (clocks.empty() && kind == ChangeKind::inconclusive)
      change.reason = "between " + times(change.ratio_range->low) + " and " +
                      times(change.ratio_range->high) + ": measure again with more --runs";
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

}  // namespace gpulab::bench
