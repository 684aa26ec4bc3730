#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.hpp"
#include "bench/page/chart.hpp"

namespace gpulab::bench::page {
namespace {

// Values of a lesson's variants, to be drawn by size: times or rates.
struct ValuesBySize {
  const BenchSection& section;
  bool is_rate;

  // Returns the value to draw. A shorter time is a higher rate, so the two ends of a range are exchanged.
  std::optional<BenchFigure> value(const CaseFigures& measured) const {
    const auto seconds = measured.kernel_s();
    if (!seconds || !is_rate) return seconds;
    const auto rate = [&](double s) { return bench_rate(measured.traffic, s); };
    if (!rate(seconds->value)) return std::nullopt;
    BenchFigure drawn{.value = *rate(seconds->value), .processes = seconds->processes};
    if (seconds->range && seconds->range->low > 0)
      drawn.range = Interval{*rate(seconds->range->high), *rate(seconds->range->low)};
    return drawn;
  }
  std::string words(const BenchFigure& measured) const {
    if (!is_rate) return with_range(measured, duration_text);
    return with_range(measured, [](double per_s) { return three_digits(per_s * 1e-9); });
  }
};

// Adds the point to the curve of that name, in the order of sizes.
void add_point(std::vector<Curve>& curves, const Curve& curve, const ChartPoint& point) {
  auto found = std::ranges::find(curves, curve.name, &Curve::name);
  if (found == curves.end()) found = curves.insert(curves.end(), curve);
  found->points.insert(std::ranges::upper_bound(found->points, point.x, {}, &ChartPoint::x), point);
}

std::vector<Curve> curves_over_size(const ValuesBySize& by_size) {
  std::vector<Curve> curves;
  for (const CaseFigures& measured : by_size.section.cases) {
    const auto value = by_size.value(measured);
    if (!value) continue;
    add_point(curves, curve_for(by_size.section, measured),
              {static_cast<double>(measured.what.size), value->value, value->range});
  }
  return curves;
}

using PointWords = std::function<std::string(const ChartPoint&)>;

ChartTable table_over_size(const std::vector<std::size_t>& sizes, const std::vector<Curve>& curves,
                           const PointWords& words) {
  ChartTable table{.titles = {"variant"}};
  for (const std::size_t size : sizes) table.titles.push_back(size_words(size));
  for (const Curve& curve : curves) {
    std::vector<std::string> row{curve.name};
    for (const std::size_t size : sizes) {
      const auto found = std::ranges::find(curve.points, static_cast<double>(size), &ChartPoint::x);
      row.push_back(found == curve.points.end() ? "" : words(*found));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Returns the size at which the problem's data fill the L2 cache, interpolated between two measured sizes.
std::optional<double> size_at_l2(const BenchSection& section, const DeviceProperties& device) {
  const auto bytes = [](const CaseFigures& measured) {
    return measured.traffic.bytes_read + measured.traffic.bytes_written;
  };
  const auto cache_bytes = static_cast<double>(device.l2_bytes);
  const CaseFigures* below = nullptr;  // the largest case that fits in the cache
  const CaseFigures* above = nullptr;  // the smallest case that does not
  for (const CaseFigures& measured : section.cases) {
    if (bytes(measured) <= 0) continue;
    const bool fits = bytes(measured) <= cache_bytes;
    const bool is_larger = !below || measured.what.size > below->what.size;
    const bool is_smaller = !above || measured.what.size < above->what.size;
    if (fits && is_larger) below = &measured;
    if (!fits && is_smaller) above = &measured;
  }
  if (cache_bytes <= 0 || !below || !above || below->what.size >= above->what.size) return std::nullopt;
  const double fraction = std::log(cache_bytes / bytes(*below)) / std::log(bytes(*above) / bytes(*below));
  const auto size_below = static_cast<double>(below->what.size);
  const auto size_above = static_cast<double>(above->what.size);
  return size_below * std::pow(size_above / size_below, fraction);
}

Interval values_of(const std::vector<Curve>& curves) {
  Interval values{INFINITY, 0};
  for (const Curve& curve : curves)
    for (const ChartPoint& point : curve.points)
      values = {std::min(values.low, point.y), std::max(values.high, point.y)};
  return values;
}

Curve ceiling_curve(const Ceiling& ceiling, bool by_operations, std::vector<ChartPoint> points) {
  return {
      fmt::format("measured ceiling ({}), {}", ceiling.what, rate_with_unit(ceiling.per_s, by_operations)),
      Role::measured_limit, 0, std::move(points)};
}

void add_limits(Chart& chart, const ValuesBySize& by_size, const ChartLimits& limits) {
  const std::vector<std::size_t> sizes = by_size.section.sizes();
  const auto from = static_cast<double>(sizes.front()), to = static_cast<double>(sizes.back());
  const bool by_operations = by_size.section.is_by_operations();
  const auto across = [&](double y) { return std::vector<ChartPoint>{{from, y}, {to, y}}; };
  if (by_size.is_rate) {
    if (const auto ceiling = limits.highest_ceiling(by_operations))
      chart.curves.push_back(ceiling_curve(*ceiling, by_operations, across(ceiling->per_s)));
    const double peak = by_operations ? limits.device.peak_operations_per_s : limits.device.peak_bytes_per_s;
    if (peak > 0)
      chart.curves.push_back({"theoretical peak, " + rate_with_unit(peak, by_operations),
                              Role::theoretical_limit, 0, across(peak)});
  }
  if (const auto size = size_at_l2(by_size.section, limits.device)) {
    const Interval values = values_of(chart.curves);
    chart.curves.push_back({fmt::format("the data fill the L2 cache, {}",
                                        capacity_text(static_cast<double>(limits.device.l2_bytes))),
                            Role::theoretical_limit,
                            1,
                            {{*size, values.low}, {*size, values.high}}});
  }
}

// Adds a bar below the others of a chart, from zero so that lengths compare.
void add_bar(Chart& chart, Curve curve, double length, const std::optional<Interval>& range,
             const std::string& words) {
  curve.points = {{length, static_cast<double>(chart.categories.size()), range, words}};
  chart.categories.push_back(curve.name);
  chart.sentence += fmt::format(" {}: {}.", curve.name, words);
  chart.curves.push_back(std::move(curve));
}

std::string sentence_over_size(const std::vector<std::size_t>& sizes, const Chart& chart,
                               const std::function<std::string(double)>& words) {
  std::string text =
      fmt::format("Line chart. {}: {} curves over {} sizes, from {} to {} work items.", chart.title,
                  chart.curves.size(), sizes.size(), size_words(sizes.front()), size_words(sizes.back()));
  for (const Curve& curve : chart.curves)
    text += fmt::format(" {}: {} to {}.", curve.name, words(curve.points.front().y),
                        words(curve.points.back().y));
  return text;
}

}  // namespace

std::vector<Chart> size_charts(const BenchSection& section, const ChartLimits& limits,
                               const std::string& id) {
  std::vector<Chart> charts;
  if (section.sizes().size() < 2 || limits.device.simulated()) return charts;
  const bool by_operations = section.is_by_operations();
  for (const bool is_rate : {false, true}) {
    const ValuesBySize by_size{section, is_rate};
    const std::vector<Curve> curves = curves_over_size(by_size);
    const auto is_a_curve = [](const Curve& curve) { return curve.points.size() > 1; };
    if (std::ranges::none_of(curves, is_a_curve)) continue;
    const char* const rate_title = by_operations ? "GFLOP/s" : "GB/s";
    const Unit rate_unit = by_operations ? Unit::gigaflops : Unit::gigabytes_per_s;
    Chart chart{.id = id + (is_rate ? "-rate" : "-time"),
                .title = is_rate ? fmt::format("{} over size", rate_title) : "Time over size",
                .shape = Shape::curves,
                .x = {"work items", Unit::work_items, /*logarithmic=*/true},
                .y = {is_rate ? rate_title : "time of one run", is_rate ? rate_unit : Unit::seconds,
                      /*logarithmic=*/true},
                .curves = curves};
    chart.sentence = sentence_over_size(section.sizes(), chart, [&](double y) {
      return is_rate ? rate_with_unit(y, by_operations) : duration_text(y);
    });
    chart.table = table_over_size(section.sizes(), curves, [&](const ChartPoint& point) {
      return by_size.words({.value = point.y, .range = point.range});
    });
    add_limits(chart, by_size, limits);
    charts.push_back(std::move(chart));
  }
  return charts;
}

namespace {

std::string energy_words(double joules) {
  return figure_text(FigureUnit::joules, joules);
}

std::string optional_words(const std::optional<BenchFigure>& measured, std::string (*text)(double)) {
  return measured ? with_range(*measured, text) : "";
}

// Variants of a lesson as bars, one below the other.
struct VariantBars {
  const BenchSection& section;
  const ChartLimits& limits;
  std::size_t size;
  bool is_rate;  // whether bars are rates, so that longer is better; otherwise they are times

  std::optional<double> rate(const CaseFigures& measured) const {
    const auto seconds = measured.kernel_s();
    return seconds ? bench_rate(measured.traffic, seconds->value) : std::nullopt;
  }
  std::string rate_words(const CaseFigures& measured) const {
    const auto per_s = rate(measured);
    return per_s ? rate_with_unit(*per_s, section.is_by_operations()) : "";
  }
};

// Adds a variant's bar: its rate or its time.
void add_bar(Chart& chart, const VariantBars& bars, const CaseFigures& measured) {
  const BenchFigure seconds = *measured.kernel_s();
  const Curve curve = curve_for(bars.section, measured);
  const std::string time = duration_text(seconds.value);
  if (!bars.is_rate) return add_bar(chart, curve, seconds.value, seconds.range, time);
  const auto rate = [&](double s) { return *bench_rate(measured.traffic, s); };
  std::optional<Interval> range = seconds.range;
  if (range && range->low > 0) range = Interval{rate(seconds.range->high), rate(seconds.range->low)};
  add_bar(chart, curve, rate(seconds.value), range, bars.rate_words(measured) + ", " + time);
}

ChartTable variant_table(const VariantBars& bars) {
  ChartTable table{.titles = {"variant", "size", "cold", "steady", "rate", "of measured ceiling", "energy"}};
  const auto ceiling = bars.limits.highest_ceiling(bars.section.is_by_operations());
  for (const CaseFigures* measured : timed_at_all_sizes(bars.section)) {
    const auto per_s = bars.rate(*measured);
    table.rows.push_back(
        {curve_for(bars.section, *measured).name, size_words(measured->what.size),
         with_range(*measured->kernel_s(), duration_text),
         optional_words(measured->time_s(BenchTime::steady), duration_text), bars.rate_words(*measured),
         per_s && ceiling && measured->kind != BenchKind::cpu ? percent_text(*per_s / ceiling->per_s) : "",
         optional_words(measured->figure("energy"), energy_words)});
  }
  return table;
}

Chart variant_chart(const VariantBars& bars, const std::vector<const CaseFigures*>& cases,
                    const std::string& id) {
  const bool by_operations = bars.section.is_by_operations();
  Chart chart{.id = id + "-ladder",
              .title = fmt::format("The variants at {} work items", size_words(bars.size)),
              .shape = Shape::bars,
              .table = variant_table(bars)};
  if (bars.is_rate)
    chart.x = {by_operations ? "GFLOP/s, more is better" : "GB/s, more is better",
               by_operations ? Unit::gigaflops : Unit::gigabytes_per_s};
  else
    chart.x = {"time of one run, less is better", Unit::seconds};
  chart.sentence = "Bar chart. " + chart.title + ".";
  for (const CaseFigures* measured : cases) add_bar(chart, bars, *measured);
  const auto ceiling = bars.limits.highest_ceiling(by_operations);
  if (bars.is_rate && ceiling)
    chart.curves.push_back(ceiling_curve(*ceiling, by_operations, {{ceiling->per_s, 0}}));
  return chart;
}

}  // namespace

std::vector<Chart> variant_charts(const BenchSection& section, const ChartLimits& limits,
                                  const std::string& id) {
  const std::vector<const CaseFigures*> cases = timed_at_largest(section);
  if (cases.empty() || limits.device.simulated()) return {};
  VariantBars bars{section, limits, cases.front()->what.size, /*is_rate=*/true};
  bars.is_rate = std::ranges::all_of(
      cases, [&](const CaseFigures* measured) { return bars.rate(*measured).has_value(); });
  return {variant_chart(bars, cases, id)};
}

namespace {

// Returns the count's chart. If there is none yet, adds `new_chart`, with an id, a title and a note.
Chart& chart_of(const CountFigure& counted, std::vector<Chart>& charts, const std::string& id,
                Chart new_chart) {
  const auto known = std::ranges::find(charts, counted.title, &Chart::title);
  if (known != charts.end()) return *known;
  new_chart.id = fmt::format("{}-count-{}", id, charts.size());
  new_chart.title = counted.title;
  new_chart.note = fmt::format("Counted: {}.", counted.explanation);
  return charts.emplace_back(std::move(new_chart));
}

std::vector<Chart> counts_over_size(const BenchSection& section, const std::string& id) {
  std::vector<Chart> charts;
  for (const CaseFigures& measured : section.cases) {
    if (!measured.has_figures()) continue;
    for (const CountFigure& counted : count_figures(measured)) {
      Chart& chart = chart_of(counted, charts, id,
                              {.x = {"work items", Unit::work_items, /*logarithmic=*/true},
                               .y = {counted.name, Unit::count, /*logarithmic=*/true}});
      add_point(chart.curves, curve_for(section, measured),
                {static_cast<double>(measured.what.size), counted.value});
    }
  }
  for (Chart& chart : charts) {
    chart.table = table_over_size(section.sizes(), chart.curves,
                                  [](const ChartPoint& point) { return count_text(point.y); });
    chart.title += " over size";
    // A logarithmic axis has no zero.
    for (Curve& curve : chart.curves)
      std::erase_if(curve.points, [](const auto& point) { return point.y == 0; });
    std::erase_if(chart.curves, [](const Curve& curve) { return curve.points.empty(); });
    if (!chart.curves.empty()) chart.sentence = sentence_over_size(section.sizes(), chart, count_text);
  }
  std::erase_if(charts, [](const Chart& chart) { return chart.curves.empty(); });
  return charts;
}

}  // namespace

std::vector<Chart> counted_charts(const BenchSection& section, const std::string& id) {
  const auto size = largest_size(section);
  if (!size) return {};
  if (section.sizes().size() > 1) return counts_over_size(section, id);
  std::vector<Chart> charts;
  for (const CaseFigures* measured : cases_at(section, *size)) {
    for (const CountFigure& counted : count_figures(*measured)) {
      Chart& chart = chart_of(counted, charts, id,
                              {.shape = Shape::bars,
                               .x = {counted.name, Unit::count},
                               .table = {.titles = {"variant", counted.name}}});
      add_bar(chart, curve_for(section, *measured), counted.value, {}, count_text(counted.value));
      chart.table.rows.push_back({chart.categories.back(), count_text(counted.value)});
    }
  }
  const auto is_all_zero = [](const Chart& chart) {
    return std::ranges::all_of(chart.curves, [](const Curve& curve) { return curve.points.front().x == 0; });
  };
  std::erase_if(charts, is_all_zero);
  for (Chart& chart : charts) {
    chart.title = fmt::format("{}, {} work items", chart.title, size_words(*size));
    chart.sentence = fmt::format("Bar chart. {}.{}", chart.title, chart.sentence);
  }
  return charts;
}

namespace {

// Run of a variant with its copies, or of a CPU's reference: the parts that it does not have take 0 s.
struct EndToEnd {
  const CaseFigures* figures;
  std::vector<double> parts_s;  // copy to the device, kernel, copy back, CPU
  double whole_s() const { return parts_s[0] + parts_s[1] + parts_s[2] + parts_s[3]; }
};

std::vector<EndToEnd> end_to_end_runs(const std::vector<const CaseFigures*>& cases) {
  std::vector<EndToEnd> runs;
  double longest = 0;
  for (const CaseFigures* timed : cases) {
    const auto to_device = timed->time_s(BenchTime::to_device), to_host = timed->time_s(BenchTime::to_host);
    if (timed->kind == BenchKind::cpu || !to_device || !to_host) continue;
    runs.push_back({timed, {to_device->value, timed->kernel_s()->value, to_host->value, 0}});
    longest = std::max(longest, runs.back().whole_s());
  }
  if (runs.empty()) return runs;
  // A reference that takes many times as long would make the other bars too short to read.
  constexpr double max_ratio_drawn = 3;
  for (const CaseFigures* timed : cases)
    if (timed->kind == BenchKind::cpu && timed->kernel_s()->value < max_ratio_drawn * longest)
      runs.push_back({timed, {0, 0, 0, timed->kernel_s()->value}});
  return runs;
}

}  // namespace

std::vector<Chart> end_to_end_charts(const BenchSection& section, const ChartLimits& limits,
                                     const std::string& id) {
  const std::vector<const CaseFigures*> cases = timed_at_largest(section);
  const std::vector<EndToEnd> runs = end_to_end_runs(cases);
  if (runs.empty() || limits.device.simulated()) return {};
  Chart chart{.id = id + "-end-to-end",
              .title = fmt::format("With the copies, at {} work items", size_words(cases.front()->what.size)),
              .sentence = "Stacked bar chart. A run in parts:",
              .note = "Each part was measured by itself; a bar is their sum.",
              .shape = Shape::stack,
              .x = {"time, less is better", Unit::seconds},
              .table = {.titles = {"variant", "size", "copy to device", "kernel", "copy back", "sum"}}};
  const char* const names[] = {"copy to device", "kernel", "copy back", "CPU, no copies"};
  for (std::size_t part = 0; part < std::size(names); ++part) {
    const bool is_cpu = part == 3;
    Curve curve{names[part], is_cpu ? Role::reference : Role::part, is_cpu ? 0 : part, {}};
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (runs[i].parts_s[part] > 0)
        curve.points.push_back(
            {runs[i].parts_s[part], static_cast<double>(i), {}, duration_text(runs[i].whole_s())});
    if (!curve.points.empty()) chart.curves.push_back(std::move(curve));
  }
  for (const EndToEnd& run : runs) {
    const std::string name = curve_for(section, *run.figures).name;
    chart.categories.push_back(name);
    chart.sentence += fmt::format(" {}: {} in all.", name, duration_text(run.whole_s()));
  }
  for (const EndToEnd& run : end_to_end_runs(timed_at_all_sizes(section))) {
    const auto words = [](double s) { return s > 0 ? duration_text(s) : std::string(); };
    chart.table.rows.push_back({curve_for(section, *run.figures).name, size_words(run.figures->what.size),
                                words(run.parts_s[0]), words(run.parts_s[1] + run.parts_s[3]),
                                words(run.parts_s[2]), duration_text(run.whole_s())});
  }
  for (const CaseFigures* timed : cases)
    if (!contains(runs, timed, &EndToEnd::figures) && timed->kind == BenchKind::cpu)
      chart.note += fmt::format(" Not drawn, since it is much longer: {}, {}.", timed->what.variant,
                                duration_text(timed->kernel_s()->value));
  return {chart};
}

std::vector<Chart> energy_charts(const BenchSection& section, const ChartLimits& limits,
                                 const std::string& id) {
  const std::vector<const CaseFigures*> cases = timed_at_largest(section);
  if (cases.empty() || limits.device.simulated()) return {};
  Chart chart{.id = id + "-energy",
              .title = fmt::format("Energy at {} work items", size_words(cases.front()->what.size)),
              .note = "By the GPU's own counter, over many launches one after another.",
              .shape = Shape::bars,
              .x = {"energy of one run, less is better", Unit::joules},
              .table = {.titles = {"variant", "size", "energy"}}};
  chart.sentence = "Bar chart. " + chart.title + ".";
  for (const CaseFigures* timed : cases)
    if (const auto energy = timed->figure("energy"))
      add_bar(chart, curve_for(section, *timed), energy->value, energy->range, energy_words(energy->value));
  for (const CaseFigures* timed : timed_at_all_sizes(section))
    if (const auto energy = timed->figure("energy"))
      chart.table.rows.push_back(
          {timed->what.variant, size_words(timed->what.size), with_range(*energy, energy_words)});
  if (chart.curves.empty()) return {};
  return {chart};
}

}  // namespace gpulab::bench::page
