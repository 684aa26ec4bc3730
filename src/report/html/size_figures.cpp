#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "report/html/figure.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report::html {
namespace {

struct OverSize {
  const BenchSection& section;
  bool is_rate;

  // What is drawn of a case. A faster kernel has the higher rate, so the ends of a range change places.
  std::optional<BenchFigure> value(const ReportedCase& one) const {
    const auto seconds = one.kernel_s();
    if (!seconds || !is_rate) return seconds;
    const auto rate = [&](double s) { return bench_rate(one.traffic, s); };
    if (!rate(seconds->value)) return std::nullopt;
    BenchFigure measured{.value = *rate(seconds->value), .processes = seconds->processes};
    if (seconds->range && seconds->range->low > 0)
      measured.range = Interval{*rate(seconds->range->high), *rate(seconds->range->low)};
    return measured;
  }
  std::string words(const BenchFigure& measured) const {
    if (!is_rate) return with_range(measured, duration_text);
    return with_range(measured, [](double per_s) { return three_digits(per_s * 1e-9); });
  }
};

std::vector<Curve> curves_over_size(const OverSize& over) {
  std::vector<Curve> curves;
  for (const ReportedCase& one : over.section.cases) {
    const auto measured = over.value(one);
    if (!measured) continue;
    const Curve curve = curve_for(over.section, one);
    auto found = std::ranges::find(curves, curve.name, &Curve::name);
    if (found == curves.end()) found = curves.insert(curves.end(), curve);
    found->points.push_back({static_cast<double>(one.what.size), measured->value, measured->range});
  }
  for (Curve& curve : curves) std::ranges::sort(curve.points, {}, &FigurePoint::x);
  return curves;
}

FigureTable table_over_size(const OverSize& over, const std::vector<Curve>& curves) {
  FigureTable table{.titles = {"variant"}};
  const std::vector<std::size_t> sizes = over.section.sizes();
  for (const std::size_t size : sizes) table.titles.push_back(size_words(size));
  for (const Curve& curve : curves) {
    std::vector<std::string> row{curve.name};
    for (const std::size_t size : sizes) {
      const auto found = std::ranges::find(curve.points, static_cast<double>(size), &FigurePoint::x);
      row.push_back(found == curve.points.end() ? ""
                                                : over.words({.value = found->y, .range = found->range}));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Where the bytes that the problem must move pass the cache, between two sizes that were measured.
std::optional<double> size_at_l2(const BenchSection& section, const DeviceProperties& device) {
  const auto bytes = [](const ReportedCase& one) {
    return one.traffic.bytes_read + one.traffic.bytes_written;
  };
  const auto wanted = static_cast<double>(device.l2_bytes);
  const ReportedCase *below = nullptr, *above = nullptr;
  for (const ReportedCase& one : section.cases) {
    if (bytes(one) <= 0) continue;
    if (bytes(one) <= wanted && (!below || one.what.size > below->what.size)) below = &one;
    if (bytes(one) > wanted && (!above || one.what.size < above->what.size)) above = &one;
  }
  if (wanted <= 0 || !below || !above || below->what.size >= above->what.size) return std::nullopt;
  const double part = std::log(wanted / bytes(*below)) / std::log(bytes(*above) / bytes(*below));
  const auto from = static_cast<double>(below->what.size), to = static_cast<double>(above->what.size);
  return from * std::pow(to / from, part);
}

Interval values_of(const std::vector<Curve>& curves) {
  Interval values{INFINITY, 0};
  for (const Curve& curve : curves)
    for (const FigurePoint& point : curve.points)
      values = {std::min(values.low, point.y), std::max(values.high, point.y)};
  return values;
}

void add_limits(Figure& figure, const OverSize& over, const FigureLimits& limits) {
  const std::vector<std::size_t> sizes = over.section.sizes();
  const auto from = static_cast<double>(sizes.front()), to = static_cast<double>(sizes.back());
  const bool by_operations = over.section.is_by_operations();
  const auto across = [&](double y) { return std::vector<FigurePoint>{{from, y}, {to, y}}; };
  if (over.is_rate) {
    if (const auto ceiling = limits.measured(by_operations))
      figure.curves.push_back({fmt::format("measured ceiling ({}), {}", ceiling->what,
                                           rate_with_unit(ceiling->per_s, by_operations)),
                               Role::measured_limit, 0, across(ceiling->per_s)});
    const double peak = by_operations ? limits.device.peak_operations_per_s : limits.device.peak_bytes_per_s;
    if (peak > 0)
      figure.curves.push_back({"theoretical peak, " + rate_with_unit(peak, by_operations),
                               Role::theoretical_limit, 0, across(peak)});
  }
  if (const auto size = size_at_l2(over.section, limits.device)) {
    const Interval values = values_of(figure.curves);
    figure.curves.push_back({fmt::format("the data fill the L2 cache, {}",
                                         capacity_text(static_cast<double>(limits.device.l2_bytes))),
                             Role::measured_limit,
                             1,
                             {{*size, values.low}, {*size, values.high}}});
  }
}

std::string sentence_over_size(const OverSize& over, const Figure& figure, const std::vector<Curve>& curves) {
  const std::vector<std::size_t> sizes = over.section.sizes();
  std::string text =
      fmt::format("Line chart. {}: {} curves over {} sizes, from {} to {} work items.", figure.title,
                  curves.size(), sizes.size(), size_words(sizes.front()), size_words(sizes.back()));
  for (const Curve& curve : curves) {
    const FigurePoint &first = curve.points.front(), &last = curve.points.back();
    const auto words = [&](double y) {
      return over.is_rate ? rate_with_unit(y, over.section.is_by_operations()) : duration_text(y);
    };
    text += fmt::format(" {}: {} to {}.", curve.name, words(first.y), words(last.y));
  }
  return text;
}

}  // namespace

std::vector<Figure> size_figures(const BenchSection& section, const FigureLimits& limits,
                                 const std::string& id) {
  std::vector<Figure> figures;
  if (section.sizes().size() < 2 || limits.device.simulated()) return figures;
  const bool by_operations = section.is_by_operations();
  for (const bool is_rate : {false, true}) {
    const OverSize over{section, is_rate};
    const std::vector<Curve> curves = curves_over_size(over);
    const auto is_a_curve = [](const Curve& curve) { return curve.points.size() > 1; };
    if (std::ranges::none_of(curves, is_a_curve)) continue;
    const char* const unit = by_operations ? "GFLOP/s" : "GB/s";
    Figure figure{.id = id + (is_rate ? "-rate" : "-time"),
                  .title = is_rate ? fmt::format("{} over size", unit) : "Time over size",
                  .shape = Shape::curves,
                  .x = {"work items", Unit::work_items, true},
                  .y = {is_rate ? unit : "time of one run",
                        !is_rate        ? Unit::seconds
                        : by_operations ? Unit::gigaflops
                                        : Unit::gigabytes_per_s,
                        true},
                  .curves = curves};
    figure.sentence = sentence_over_size(over, figure, curves);
    figure.table = table_over_size(over, curves);
    add_limits(figure, over, limits);
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace gpulab::report::html
