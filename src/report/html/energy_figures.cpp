#include <fmt/format.h>
#include <algorithm>

#include "report/html/figure.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report::html {

std::string energy_words(double joules) {
  return joules < 0.9995 ? three_digits(joules * 1e3) + " mJ" : three_digits(joules) + " J";
}

std::vector<Figure> energy_figures(const BenchSection& section, const FigureLimits& limits,
                                   const std::string& id) {
  const std::vector<const ReportedCase*> cases = timed_at_largest(section);
  if (cases.empty() || limits.device.simulated()) return {};
  Figure figure{.id = id + "-energy",
                .title = fmt::format("Energy at {} work items", size_words(cases.front()->what.size)),
                .note = "By the GPU's own counter, over many launches one after another.",
                .shape = Shape::bars,
                .x = {"energy of one run, less is better", Unit::joules},
                .table = {.titles = {"variant", "energy"}}};
  figure.sentence = "Bar chart. " + figure.title + ".";
  for (const ReportedCase* one : cases) {
    if (!one->figure("energy")) continue;
    Curve curve = curve_for(section, *one);
    const std::string words = energy_words(one->figure("energy")->value);
    curve.points = {{one->figure("energy")->value, static_cast<double>(figure.categories.size()),
                     one->figure("energy")->range, words}};
    figure.categories.push_back(curve.name);
    figure.sentence += fmt::format(" {}: {}.", curve.name, words);
    figure.table.rows.push_back({curve.name, with_range(*one->figure("energy"), energy_words)});
    figure.curves.push_back(std::move(curve));
  }
  if (figure.curves.empty()) return {};
  return {figure};
}

}  // namespace gpulab::report::html
