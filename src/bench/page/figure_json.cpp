#include "bench/page/figure.hpp"
#include "lesson/json_fields.hpp"

namespace gpulab::bench::page {
namespace {

const char* word(Unit unit) {
  constexpr const char* words[] = {"s", "GB/s",  "GFLOP/s", "TFLOP/s", "FLOP/B",
                                   "J", "count", "ratio",   "items"};
  return words[static_cast<int>(unit)];
}

const char* word(Role role) {
  constexpr const char* words[] = {"kernel",    "reference", "measured-limit", "theoretical-limit", "part",
                                   "regressed", "improved",  "same",           "inconclusive"};
  return words[static_cast<int>(role)];
}

const char* word(Shape shape) {
  constexpr const char* words[] = {"curves", "scatter", "bars", "stack", "ratios"};
  return words[static_cast<int>(shape)];
}

Json axis_json(const Axis& axis) {
  return {{"title", axis.title}, {"unit", word(axis.unit)}, {"logarithmic", axis.logarithmic}};
}

Json range_json(const std::optional<Interval>& range) {
  return range ? Json::array({range->low, range->high}) : Json(nullptr);
}

Json curve_json(const Curve& curve) {
  Json points = Json::array();
  for (const FigurePoint& point : curve.points)
    points.push_back(
        {{"x", point.x}, {"y", point.y}, {"range", range_json(point.range)}, {"label", point.label}});
  return {{"name", curve.name}, {"role", word(curve.role)}, {"style", curve.style}, {"points", points}};
}

Json figure_json(const Figure& figure) {
  Json curves = Json::array();
  for (const Curve& curve : figure.curves) curves.push_back(curve_json(curve));
  return {{"id", figure.id},          {"shape", word(figure.shape)},     {"x", axis_json(figure.x)},
          {"y", axis_json(figure.y)}, {"categories", figure.categories}, {"band", range_json(figure.band)},
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
