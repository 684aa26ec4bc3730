#include <fmt/format.h>
#include <algorithm>

#include "report/html/figure.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report::html {
namespace {

std::string optional_words(const std::optional<BenchFigure>& measured, std::string (*text)(double)) {
  return measured ? with_range(*measured, text) : "";
}

struct Ladder {
  const BenchSection& section;
  const FigureLimits& limits;
  std::size_t size;
  bool is_rate;  // longer is better; otherwise the bars are times

  std::optional<double> rate(const ReportedCase& one) const {
    const auto seconds = one.kernel_s();
    return seconds ? bench_rate(one.traffic, seconds->value) : std::nullopt;
  }
  std::string rate_words(const ReportedCase& one) const {
    const auto per_s = rate(one);
    return per_s ? rate_with_unit(*per_s, section.is_by_operations()) : "";
  }
};

// A bar from zero, so that lengths can be compared: of the rate where there is one, of the time otherwise.
FigurePoint bar_of(const Ladder& ladder, const ReportedCase& one, std::size_t place) {
  const BenchFigure seconds = *one.kernel_s();
  FigurePoint point{.x = seconds.value, .y = static_cast<double>(place), .range = seconds.range};
  point.label = duration_text(seconds.value);
  if (!ladder.is_rate) return point;
  const auto rate = [&](double s) { return *bench_rate(one.traffic, s); };
  point.x = rate(seconds.value);
  if (seconds.range && seconds.range->low > 0)
    point.range = Interval{rate(seconds.range->high), rate(seconds.range->low)};
  point.label = ladder.rate_words(one) + ", " + point.label;
  return point;
}

FigureTable ladder_table(const Ladder& ladder, const std::vector<const ReportedCase*>& cases) {
  FigureTable table{.titles = {"variant", "cold", "steady", "rate", "of measured ceiling", "energy"}};
  const auto ceiling = ladder.limits.measured(ladder.section.is_by_operations());
  for (const ReportedCase* one : cases) {
    const auto per_s = ladder.rate(*one);
    table.rows.push_back(
        {curve_for(ladder.section, *one).name, with_range(*one->kernel_s(), duration_text),
         optional_words(one->time_s(BenchTime::steady), duration_text), ladder.rate_words(*one),
         per_s && ceiling && one->kind != BenchKind::cpu ? percent_text(*per_s / ceiling->per_s) : "",
         optional_words(one->figure("energy"), energy_words)});
  }
  return table;
}

Figure ladder_figure(const Ladder& ladder, const std::vector<const ReportedCase*>& cases,
                     const std::string& id) {
  const bool by_operations = ladder.section.is_by_operations();
  Figure figure{.id = id + "-ladder",
                .title = fmt::format("The variants at {} work items", size_words(ladder.size)),
                .shape = Shape::bars,
                .table = ladder_table(ladder, cases)};
  if (ladder.is_rate)
    figure.x = {by_operations ? "GFLOP/s, more is better" : "GB/s, more is better",
                by_operations ? Unit::gigaflops : Unit::gigabytes_per_s};
  else
    figure.x = {"time of one run, less is better", Unit::seconds};
  figure.sentence = "Bar chart. " + figure.title + ".";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Curve curve = curve_for(ladder.section, *cases[i]);
    curve.points = {bar_of(ladder, *cases[i], i)};
    figure.categories.push_back(curve.name);
    figure.sentence += fmt::format(" {}: {}.", curve.name, curve.points.front().label);
    figure.curves.push_back(std::move(curve));
  }
  const auto ceiling = ladder.limits.measured(by_operations);
  if (ladder.is_rate && ceiling)
    figure.curves.push_back({fmt::format("measured ceiling ({}), {}", ceiling->what,
                                         rate_with_unit(ceiling->per_s, by_operations)),
                             Role::measured_limit,
                             0,
                             {{ceiling->per_s, 0}}});
  return figure;
}

}  // namespace

std::vector<Figure> ladder_figures(const BenchSection& section, const FigureLimits& limits,
                                   const std::string& id) {
  const std::vector<const ReportedCase*> cases = timed_at_largest(section);
  if (cases.empty() || limits.device.simulated()) return {};
  Ladder ladder{section, limits, cases.front()->what.size, true};
  ladder.is_rate =
      std::ranges::all_of(cases, [&](const ReportedCase* one) { return ladder.rate(*one).has_value(); });
  return {ladder_figure(ladder, cases, id)};
}

}  // namespace gpulab::report::html
