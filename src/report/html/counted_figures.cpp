#include <fmt/format.h>
#include <algorithm>

#include "report/html/figure.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report::html {

std::vector<Figure> counted_figures(const BenchSection& section, const std::string& id) {
  const auto size = largest_size(section);
  if (!size) return {};
  std::vector<Figure> figures;
  for (const ReportedCase* one : cases_at(section, *size)) {
    for (const CountFigure& counted : count_figures(*one)) {
      auto figure = std::ranges::find(figures, counted.title, &Figure::title);
      if (figure == figures.end())
        figure =
            figures.insert(figures.end(), Figure{.id = fmt::format("{}-count-{}", id, figures.size()),
                                                 .title = counted.title,
                                                 .note = fmt::format("Counted: {}.", counted.explanation),
                                                 .shape = Shape::bars,
                                                 .x = {counted.name, Unit::count},
                                                 .table = {.titles = {"variant", counted.name}}});
      Curve curve = curve_for(section, *one);
      const std::string words = count_text(counted.value);
      curve.points = {{counted.value, static_cast<double>(figure->categories.size()), {}, words}};
      figure->categories.push_back(curve.name);
      figure->table.rows.push_back({curve.name, words});
      figure->sentence += fmt::format(" {}: {}.", curve.name, words);
      figure->curves.push_back(std::move(curve));
    }
  }
  const auto is_all_zero = [](const Figure& figure) {
    return std::ranges::all_of(figure.curves, [](const Curve& curve) { return curve.points.front().x == 0; });
  };
  std::erase_if(figures, is_all_zero);
  for (Figure& figure : figures) {
    figure.title = fmt::format("{}, {} work items", figure.title, size_words(*size));
    figure.sentence = "Bar chart. " + figure.title + "." + figure.sentence;
  }
  return figures;
}

}  // namespace gpulab::report::html
