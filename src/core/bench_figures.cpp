#include "core/bench_figures.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "core/median.hpp"

namespace gpulab {
namespace {

using Rows = std::vector<const BenchRow*>;

Interval range_over(std::vector<double> values) {
  std::ranges::sort(values);
  const Ranks ranks = median_ranks(values.size()).value_or(Ranks{.low = 1, .high = values.size()});
  return {.low = values[ranks.low - 1], .high = values[ranks.high - 1]};
}

BenchFigure figure(const std::string& name, FigureUnit unit, const std::vector<double>& values) {
  BenchFigure all{.name = name,
                  .unit = unit,
                  .value = median(values),
                  .processes = values.size(),
                  .samples = values.size()};
  const bool differ = std::ranges::adjacent_find(values, std::not_equal_to<>()) != values.end();
  if (unit == FigureUnit::count ? differ : values.size() > 1) all.range = range_over(values);
  return all;
}

void add_clocks(const Timing& timing, std::vector<double>& clocks_hz) {
  const std::vector<double>& all = timing.clocks_hz;
  if (all.empty()) return;
  const auto third = static_cast<std::ptrdiff_t>((all.size() + 2) / 3);
  clocks_hz.push_back(median({all.begin(), all.begin() + third}));
  clocks_hz.push_back(median({all.end() - third, all.end()}));
}

std::vector<const Timing*> timings(const Rows& rows, BenchTime time) {
  std::vector<const Timing*> taken;
  for (const BenchRow* row : rows)
    if (const auto found = row->times.find(time); found != row->times.end()) taken.push_back(&found->second);
  return taken;
}

std::vector<double> clocks_of(const Rows& rows, BenchTime time) {
  std::vector<double> clocks_hz;
  for (const Timing* timing : timings(rows, time)) add_clocks(*timing, clocks_hz);
  return clocks_hz;
}

void add_times(const Rows& rows, CaseFigures& measured) {
  for (const BenchTime time : all_bench_times) {
    const std::vector<const Timing*> taken = timings(rows, time);
    if (taken.empty()) continue;
    std::vector<double> medians_s;
    for (const Timing* timing : taken) medians_s.push_back(timing->median_s);
    BenchFigure& all =
        measured.figures.emplace_back(figure(std::string(name_of(time)), FigureUnit::seconds, medians_s));
    if (taken.size() == 1) all.range = taken.front()->confidence_s;
    all.samples = 0;
    for (const Timing* timing : taken) all.samples += timing->samples_s.size();
    all.clocks_hz = clocks_of(rows, time);
  }
}

void add_energy(const Rows& rows, CaseFigures& measured) {
  std::vector<double> joules;
  for (const BenchRow* row : rows)
    if (row->energy) joules.push_back(row->energy->joules_per_run);
  if (joules.empty()) return;
  measured.figures.push_back(figure("energy", FigureUnit::joules, joules));
  measured.figures.back().clocks_hz = clocks_of(rows, BenchTime::steady);
}

void add_counts(const Rows& rows, CaseFigures& measured) {
  std::map<std::string, std::vector<double>> counts;
  for (const BenchRow* row : rows)
    for (const auto& [name, count] : row->counts) counts[name].push_back(static_cast<double>(count));
  for (const auto& [name, values] : counts)
    measured.figures.push_back(figure(name, FigureUnit::count, values));
}

CaseFigures figures_of_case(const Rows& rows) {
  const BenchRow& first = *rows.front();
  CaseFigures measured{.what = first.what, .kind = first.kind, .traffic = first.traffic};
  for (const BenchRow* row : rows) {
    measured.was_run = measured.was_run || row->observed != Outcome::not_run;
    if (row->valid || !measured.valid) continue;
    measured.valid = false;
    measured.explanation = row->explanation.empty() ? "its result is wrong" : row->explanation;
  }
  add_times(rows, measured);
  add_energy(rows, measured);
  add_counts(rows, measured);
  return measured;
}

}  // namespace

std::string_view name_of(FigureUnit unit) {
  if (unit == FigureUnit::seconds) return "s";
  return unit == FigureUnit::joules ? "J" : "count";
}

bool is_cost(BenchKind kind, const std::string& figure) {
  const bool is_of_host = figure == name_of(BenchTime::cpu) || figure == name_of(BenchTime::to_device) ||
                          figure == name_of(BenchTime::to_host) || figure == name_of(BenchTime::launch);
  const bool is_for_information =
      figure.ends_with("_requests") || figure.ends_with("_active_lanes") || figure == "fiber_switches";
  return kind != BenchKind::cpu && !is_of_host && !is_for_information;
}

std::vector<CaseFigures> case_figures(const std::vector<BenchResult>& results) {
  std::map<std::string, std::size_t> places;
  std::vector<Rows> rows_of_cases;
  for (const BenchResult& result : results)
    for (const BenchRow& row : result.rows) {
      const std::size_t place = places.try_emplace(id_of(row.what), places.size()).first->second;
      rows_of_cases.resize(places.size());
      rows_of_cases[place].push_back(&row);
    }
  std::vector<CaseFigures> cases;
  for (const Rows& rows : rows_of_cases) cases.push_back(figures_of_case(rows));
  std::ranges::stable_sort(cases, {},
                           [](const CaseFigures& one) { return std::tie(one.what.lesson, one.what.size); });
  return cases;
}

}  // namespace gpulab
