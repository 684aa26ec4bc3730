#include "report/bench_plot.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "report/bench_cases.hpp"
#include "report/plot.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report {
namespace {

using PlottedFigure = std::optional<double> (*)(const ReportedCase&);

std::optional<double> plotted_rate(const ReportedCase& one) {
  const auto seconds = one.kernel_s();
  const auto rate = seconds ? bench_rate(one.traffic, seconds->value) : std::nullopt;
  return rate ? std::optional(*rate * 1e-9) : std::nullopt;
}

std::optional<double> plotted_time(const ReportedCase& one) {
  const auto seconds = one.kernel_s();
  return seconds ? std::optional(seconds->value) : std::nullopt;
}

std::optional<double> plotted_sectors(const ReportedCase& one) {
  return one.has_figures() ? sum_of_counts(one, "sectors") : std::nullopt;
}

std::vector<Series> series_of(const BenchSection& section, PlottedFigure figure) {
  std::vector<Series> series;
  for (const ReportedCase& one : section.cases) {
    const auto value = figure(one);
    if (!value) continue;
    auto found = std::ranges::find(series, one.what.variant, &Series::name);
    if (found == series.end()) found = series.insert(series.end(), Series{one.what.variant, {}});
    found->points.emplace_back(static_cast<double>(one.what.size), *value);
  }
  return series;
}

std::string section_plot(const BenchSection& section, bool simulated, const TextStyle& style) {
  PlotAxis y{.title = "sectors"};
  std::vector<Series> series;
  if (simulated) {
    series = series_of(section, plotted_sectors);
  } else if (series = series_of(section, plotted_rate); !series.empty()) {
    y.title = section.is_by_operations() ? "GFLOP/s" : "GB/s";
  } else {
    series = series_of(section, plotted_time);
    y = {.title = "time", .tick_text = duration_text};
  }
  if (series.empty()) return "nothing was measured that could be drawn\n";
  return plot(series, {.title = "work items", .tick_text = size_tick_text}, y, style);
}

}  // namespace

std::string bench_plot(const BenchResult& result, const TextStyle& style) {
  std::string text;
  for (const BenchSection& section : bench_sections(reported_cases({result}))) {
    text += (text.empty() ? "" : "\n") + paragraph(section.title(), Ink::bold, style);
    const std::vector<std::size_t> sizes = section.sizes();
    text += sizes.size() > 1
                ? section_plot(section, result.device.simulated(), style)
                : paragraph("only size " + grouped(sizes.front()) +
                                " was measured; a plot needs several, such as --size 2^16..2^26:x4",
                            Ink::plain, style);
  }
  return text;
}

}  // namespace gpulab::report
