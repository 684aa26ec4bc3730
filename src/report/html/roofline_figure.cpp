#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "report/html/figure.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report::html {
namespace {

struct RooflinePoint {
  const ReportedCase* of;
  double intensity, per_s;  // operations per byte, operations per second
};

std::optional<RooflinePoint> roofline_point(const ReportedCase& one) {
  const double bytes = one.traffic.bytes_read + one.traffic.bytes_written;
  const auto seconds = one.kernel_s();
  if (one.kind == BenchKind::cpu || !seconds || bytes <= 0 || one.traffic.operations <= 0)
    return std::nullopt;
  return RooflinePoint{&one, one.traffic.operations / bytes, one.traffic.operations / seconds->value};
}

std::vector<RooflinePoint> points_of(const BenchSection& section) {
  std::vector<RooflinePoint> points;
  if (const auto size = largest_size(section))
    for (const ReportedCase* one : cases_at(section, *size))
      if (const auto point = roofline_point(*one)) points.push_back(*point);
  return points;
}

// The slope of memory up to where arithmetic is the limit, then level.
std::optional<Curve> roof(const std::string& name, Role role, double bytes_per_s, double operations_per_s,
                          Interval intensities) {
  if (bytes_per_s <= 0) return std::nullopt;
  const auto height = [&](double intensity) {
    const double by_memory = intensity * bytes_per_s;
    return operations_per_s > 0 ? std::min(by_memory, operations_per_s) : by_memory;
  };
  std::vector<double> places{intensities.low, intensities.high};
  const double ridge = operations_per_s / bytes_per_s;
  if (ridge > intensities.low && ridge < intensities.high) places.push_back(ridge);
  std::ranges::sort(places);
  Curve curve{name, role, 0, {}};
  for (const double place : places) curve.points.push_back({place, height(place)});
  return curve;
}

void add_roofs(Figure& figure, const FigureLimits& limits, Interval intensities) {
  const auto memory = limits.measured(false), arithmetic = limits.measured(true);
  // So that the ridge is in sight.
  const double bytes_per_s = memory ? memory->per_s : limits.device.peak_bytes_per_s;
  const double operations_per_s = arithmetic ? arithmetic->per_s : limits.device.peak_operations_per_s;
  if (bytes_per_s > 0 && operations_per_s > 0) {
    const double ridge = operations_per_s / bytes_per_s;
    intensities = {std::min(intensities.low, ridge / 4), std::max(intensities.high, ridge * 4)};
  }
  intensities = {intensities.low / 2, intensities.high * 2};
  if (memory)
    if (auto curve = roof("measured ceiling", Role::measured_limit, memory->per_s,
                          arithmetic ? arithmetic->per_s : 0, intensities))
      figure.curves.push_back(*curve);
  if (auto curve = roof("theoretical peak", Role::theoretical_limit, limits.device.peak_bytes_per_s,
                        limits.device.peak_operations_per_s, intensities))
    figure.curves.push_back(*curve);
}

std::string tera_words(double per_s) {
  return per_s >= 1e12 ? three_digits(per_s * 1e-12) + " TFLOP/s" : three_digits(per_s * 1e-9) + " GFLOP/s";
}

std::optional<double> part_of_roof(const RooflinePoint& point, const FigureLimits& limits) {
  const auto memory = limits.measured(false), arithmetic = limits.measured(true);
  if (!memory) return std::nullopt;
  const double by_memory = point.intensity * memory->per_s;
  return point.per_s / (arithmetic ? std::min(by_memory, arithmetic->per_s) : by_memory);
}

// One section shows each variant as a series of its own; of several, each section is one.
void add_points(Figure& figure, const BenchSection& section, bool alone, std::size_t index,
                const FigureLimits& limits) {
  Curve of_section{section.title(), Role::kernel, index, {}};
  for (const RooflinePoint& point : points_of(section)) {
    const auto part = part_of_roof(point, limits);
    if (part && *part > 1 && figure.note.find("tensor") == std::string::npos)
      figure.note += " Kernels above the roof use tensor cores or find their data in a cache.";
    const FigurePoint drawn{point.intensity, point.per_s, {}, point.of->what.variant};
    if (alone) {
      Curve curve = curve_for(section, *point.of);
      curve.points = {drawn};
      figure.curves.push_back(std::move(curve));
    } else {
      of_section.points.push_back(drawn);
    }
    figure.table.rows.push_back({section.title(), point.of->what.variant, size_words(point.of->what.size),
                                 three_digits(point.intensity), tera_words(point.per_s),
                                 part ? percent_text(*part) : ""});
  }
  if (!of_section.points.empty()) figure.curves.push_back(std::move(of_section));
}

}  // namespace

std::vector<Figure> roofline_figures(const std::vector<BenchSection>& sections, const FigureLimits& limits,
                                     const std::string& id) {
  Interval intensities{INFINITY, 0};
  std::vector<const BenchSection*> drawn;
  for (const BenchSection& section : sections) {
    const std::vector<RooflinePoint> points = points_of(section);
    if (!points.empty()) drawn.push_back(&section);
    for (const RooflinePoint& point : points)
      intensities = {std::min(intensities.low, point.intensity), std::max(intensities.high, point.intensity)};
  }
  if (drawn.empty() || limits.device.simulated()) return {};
  Figure figure{
      .id = id,
      .title = "Roofline",
      .note =
          "Operations and bytes are those that the problem needs. Below the slope memory is the limit, below "
          "the level part arithmetic is.",
      .shape = Shape::scatter,
      .x = {"floating-point operations per byte", Unit::operations_per_byte, true},
      .y = {"TFLOP/s", Unit::teraflops, true},
      .table = {
          .titles = {"lesson", "variant", "size", "operations per byte", "reached", "of the measured roof"}}};
  for (std::size_t i = 0; i < drawn.size(); ++i) add_points(figure, *drawn[i], drawn.size() == 1, i, limits);
  figure.sentence =
      fmt::format("Roofline. {} kernels, between {} and {} operations per byte.", figure.table.rows.size(),
                  three_digits(intensities.low), three_digits(intensities.high));
  for (const std::vector<std::string>& row : figure.table.rows)
    figure.sentence += fmt::format(" {} {}: {}.", row[0], row[1], row[4]);
  add_roofs(figure, limits, intensities);
  return {figure};
}

}  // namespace gpulab::report::html
