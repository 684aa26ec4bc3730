#include <algorithm>
#include <cmath>
#include <utility>

#include "base/plot.hpp"
#include "base/text.hpp"
#include "bench/bench_formats.hpp"

namespace gpulab::bench {
namespace {

std::vector<std::pair<std::string, std::string>> parts_of(const BenchCase& what) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (const auto& [name, value] : what.options) parts.emplace_back(name, text_of(value));
  parts.emplace_back("seed", std::to_string(what.seed));
  parts.emplace_back("block", what.block_size > 0 ? std::to_string(what.block_size) : "own");
  return parts;
}

}  // namespace

CaseDifferences::CaseDifferences(const std::vector<BenchCase>& cases) {
  for (const BenchCase& what : cases)
    for (const auto& [name, value] : parts_of(what)) values_[what.lesson][name].insert(value);
}

std::string CaseDifferences::text(const BenchCase& what) const {
  std::string text;
  for (const auto& [name, value] : parts_of(what))
    if (values_.at(what.lesson).at(name).size() > 1) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

std::optional<double> bench_rate(const Traffic& traffic, std::optional<double> seconds) {
  const double work =
      traffic.limited_by_operations ? traffic.operations : traffic.bytes_read + traffic.bytes_written;
  if (!seconds || *seconds <= 0 || work <= 0) return std::nullopt;
  return work / *seconds;
}

std::optional<double> sum_of_counts(const CaseFigures& one, std::string_view ending) {
  std::optional<double> sum;
  if (!one.has_figures()) return sum;
  for (const BenchFigure& figure : one.figures)
    if (figure.unit == FigureUnit::count &&
        (figure.name == ending || figure.name.ends_with("_" + std::string(ending))))
      sum = sum.value_or(0) + figure.value;
  return sum;
}

std::vector<CountFigure> count_figures(const CaseFigures& one) {
  std::vector<CountFigure> figures;
  const auto add = [&](const char* ending, const char* name, const char* title, const char* explanation) {
    if (const auto sum = sum_of_counts(one, ending)) figures.push_back({name, title, explanation, *sum});
  };
  add("sectors", "sectors", "Sectors of global memory",
      "32-byte pieces of global memory that were touched, added over the requests of warps");
  add("wavefronts", "wavefronts", "Wavefronts of shared memory",
      "times that the busiest bank of shared memory had to answer, added over requests");
  add("lanes_at_one_address", "at one address", "Atomics at one address",
      "lanes that met at one address in an atomic, added over requests");
  const auto requests = sum_of_counts(one, "requests"), lanes = sum_of_counts(one, "active_lanes");
  if (requests && lanes && *requests > 0)
    figures.push_back({"active lanes", "Active lanes",
                       "lanes that took part in a request, on average; 32 is a whole warp",
                       *lanes / *requests});
  add("fiber_switches", "switches", "Fiber switches",
      "times that the simulator went from one thread to another");
  return figures;
}

std::string count_text(double value) {
  if (value == std::floor(value)) return grouped(static_cast<std::uint64_t>(value));
  std::string text = three_digits(value);
  if (value < 1 || text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);  // 31.98 and 32 stand in one column
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

namespace {

using PlottedFigure = std::optional<double> (*)(const CaseFigures&);

std::optional<double> plotted_rate(const CaseFigures& one) {
  const auto seconds = one.kernel_s();
  const auto rate = seconds ? bench_rate(one.traffic, seconds->value) : std::nullopt;
  return rate ? std::optional(*rate * 1e-9) : std::nullopt;
}

std::optional<double> plotted_time(const CaseFigures& one) {
  const auto seconds = one.kernel_s();
  return seconds ? std::optional(seconds->value) : std::nullopt;
}

std::optional<double> plotted_sectors(const CaseFigures& one) {
  return one.has_figures() ? sum_of_counts(one, "sectors") : std::nullopt;
}

std::vector<Series> series_of(const BenchSection& section, PlottedFigure figure) {
  std::vector<Series> series;
  for (const CaseFigures& one : section.cases) {
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
  for (const BenchSection& section : bench_sections(cases_in_order({result}))) {
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

}  // namespace gpulab::bench
