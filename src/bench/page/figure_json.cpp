#include "base/text.hpp"
#include "bench/page/figure.hpp"
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
                                 {Role::reference, "reference"},
                                 {Role::measured_limit, "measured-limit"},
                                 {Role::theoretical_limit, "theoretical-limit"},
                                 {Role::part, "part"},
                                 {Role::regressed, "regressed"},
                                 {Role::improved, "improved"},
                                 {Role::same, "same"},
                                 {Role::inconclusive, "inconclusive"}};
static_assert(names_every(roles, Role::inconclusive));

constexpr Named<Shape> shapes[] = {{Shape::curves, "curves"},
                                   {Shape::scatter, "scatter"},
                                   {Shape::bars, "bars"},
                                   {Shape::stack, "stack"},
                                   {Shape::ratios, "ratios"}};
static_assert(names_every(shapes, Shape::ratios));

Json axis_json(const Axis& axis) {
  return {{"title", axis.title}, {"unit", name_in(units, axis.unit)}, {"logarithmic", axis.logarithmic}};
}

Json range_json(const std::optional<Interval>& range) {
  return range ? Json::array({range->low, range->high}) : Json(nullptr);
}

Json curve_json(const Curve& curve) {
  Json points = Json::array();
  for (const FigurePoint& point : curve.points)
    points.push_back(
        {{"x", point.x}, {"y", point.y}, {"range", range_json(point.range)}, {"label", point.label}});
  return {
      {"name", curve.name}, {"role", name_in(roles, curve.role)}, {"style", curve.style}, {"points", points}};
}

Json figure_json(const Figure& figure) {
  Json curves = Json::array();
  for (const Curve& curve : figure.curves) curves.push_back(curve_json(curve));
  return {
      {"id", figure.id},          {"shape", name_in(shapes, figure.shape)}, {"x", axis_json(figure.x)},
      {"y", axis_json(figure.y)}, {"categories", figure.categories},        {"band", range_json(figure.band)},
      {"curves", curves}};
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

std::string figures_json(const std::vector<Figure>& figures) {
  Json list = Json::array();
  for (const Figure& figure : figures) list.push_back(figure_json(figure));
  return for_script(list.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace gpulab::bench::page
