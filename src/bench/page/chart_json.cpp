#include "base/text.hpp"
#include "bench/page/chart.hpp"
#include "lesson/json_fields.hpp"

namespace gpulab::bench::page {
namespace {

constexpr Named<Unit> units[] = {{Unit::seconds, "s"},
                                 {Unit::gigabytes_per_s, "GB/s"},
                                 {Unit::gigaflops, "GFLOP/s"},
                                 {Unit::teraflops, "TFLOP/s"},
                                 {Unit::operations_per_byte, "FLOP/B"},
                                 {Unit::joules, "J"},
                                 {Unit::count, "count"},
                                 {Unit::ratio, "ratio"},
                                 {Unit::work_items, "items"}};
static_assert(names_every(units, Unit::work_items));

constexpr Named<Role> roles[] = {{Role::kernel, "kernel"},
                                 {Role::kernel_before, "kernel-before"},
                                 {Role::reference, "reference"},
                                 {Role::measured_limit, "measured-limit"},
                                 {Role::theoretical_limit, "theoretical-limit"},
                                 {Role::part, "part"},
                                 {Role::before, "before"},
                                 {Role::regressed, "regressed"},
                                 {Role::improved, "improved"},
                                 {Role::same, "same"},
                                 {Role::inconclusive, "inconclusive"}};
static_assert(names_every(roles, Role::inconclusive));

constexpr Named<Shape> shapes[] = {{Shape::curves, "curves"},
                                   {Shape::scatter, "scatter"},
                                   {Shape::bars, "bars"},
                                   {Shape::stack, "stack"},
                                   {Shape::pairs, "pairs"}};
static_assert(names_every(shapes, Shape::pairs));

Json axis_json(const Axis& axis) {
  return {{"title", axis.title}, {"unit", name_in(units, axis.unit)}, {"logarithmic", axis.logarithmic}};
}

Json range_json(const std::optional<Interval>& range) {
  return range ? Json::array({range->low, range->high}) : Json(nullptr);
}

Json chart_point_json(const ChartPoint& point) {
  return {{"x", point.x}, {"y", point.y}, {"range", range_json(point.range)}, {"label", point.label}};
}

Json curve_json(const Curve& curve) {
  return {{"name", curve.name},
          {"role", name_in(roles, curve.role)},
          {"style", curve.style},
          {"points", list_json(curve.points, chart_point_json)}};
}

Json chart_json(const Chart& chart) {
  return {{"id", chart.id},
          {"shape", name_in(shapes, chart.shape)},
          {"x", axis_json(chart.x)},
          {"y", axis_json(chart.y)},
          {"categories", chart.categories},
          {"band", range_json(chart.band)},
          {"curves", list_json(chart.curves, curve_json)}};
}

}  // namespace

// Escapes "<": a page's parser looks for "</script" and "<!--" before anybody reads the JSON.
std::string for_script(std::string json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char byte : json)
    if (byte == '<')
      safe += "\\u003c";
    else
      safe += byte;
  return safe;
}

std::string charts_json(const std::vector<Chart>& charts) {
  return for_script(list_json(charts, chart_json).dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace gpulab::bench::page
