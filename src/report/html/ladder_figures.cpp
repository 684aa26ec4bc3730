#include <fmt/format.h>
#include <algorithm>

#include "report/html/figure.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report::html {
namespace {

std::string energy_words(double joules) {
  return joules < 0.9995 ? three_digits(joules * 1e3) + " mJ" : three_digits(joules) + " J";
}

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
    table.rows.push_back({curve_for(ladder.section, *one).name, with_range(*one->kernel_s(), duration_text),
                          optional_words(one->time_s(BenchTime::steady), duration_text), ladder.rate_words(*one),
                          per_s && ceiling && one->kind != BenchKind::cpu ? percent_text(*per_s / ceiling->per_s) : "",
                          optional_words(one->figure("energy"), energy_words)});
  }
  return table;
}

Figure ladder_figure(const Ladder& ladder, const std::vector<const ReportedCase*>& cases, const std::string& id) {
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
                             Role::measured_limit, 0, {{ceiling->per_s, 0}}});
  return figure;
}

struct EndToEnd {
  const ReportedCase* of;
  std::vector<double> parts_s;  // copy to the device, kernel, copy back, CPU
  double whole_s() const { return parts_s[0] + parts_s[1] + parts_s[2] + parts_s[3]; }
};

std::vector<EndToEnd> end_to_end_runs(const std::vector<const ReportedCase*>& cases) {
  std::vector<EndToEnd> runs;
  double longest = 0;
  for (const ReportedCase* one : cases) {
    const auto to_device = one->time_s(BenchTime::to_device), to_host = one->time_s(BenchTime::to_host);
    if (one->kind == BenchKind::cpu || !to_device || !to_host) continue;
    runs.push_back({one, {to_device->value, one->kernel_s()->value, to_host->value, 0}});
    longest = std::max(longest, runs.back().whole_s());
  }
  if (runs.empty()) return runs;
  // A reference that takes many times as long would leave nothing of the others to be seen.
  constexpr double still_seen = 3;
  for (const ReportedCase* one : cases)
    if (one->kind == BenchKind::cpu && one->kernel_s()->value < still_seen * longest)
      runs.push_back({one, {0, 0, 0, one->kernel_s()->value}});
  return runs;
}

std::vector<Figure> end_to_end_figure(const Ladder& ladder, const std::vector<const ReportedCase*>& cases,
                                      const std::string& id) {
  const std::vector<EndToEnd> runs = end_to_end_runs(cases);
  if (runs.empty()) return {};
  Figure figure{.id = id + "-end-to-end",
                .title = fmt::format("With the copies, at {} work items", size_words(ladder.size)),
                .sentence = "Stacked bar chart. A run in parts:",
                .note = "Each part was measured by itself; a bar is their sum.",
                .shape = Shape::stack,
                .x = {"time, less is better", Unit::seconds},
                .table = {.titles = {"variant", "copy to device", "kernel", "copy back", "sum"}}};
  const char* const names[] = {"copy to device", "kernel", "copy back", "CPU, no copies"};
  for (std::size_t part = 0; part < std::size(names); ++part) {
    Curve curve{names[part], part == 3 ? Role::reference : Role::part, part == 3 ? 0 : part, {}};
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (runs[i].parts_s[part] > 0)
        curve.points.push_back({runs[i].parts_s[part], static_cast<double>(i), {}, duration_text(runs[i].whole_s())});
    if (!curve.points.empty()) figure.curves.push_back(std::move(curve));
  }
  for (const EndToEnd& run : runs) {
    const std::string name = curve_for(ladder.section, *run.of).name;
    const auto words = [](double s) { return s > 0 ? duration_text(s) : std::string(); };
    figure.categories.push_back(name);
    figure.sentence += fmt::format(" {}: {} in all.", name, duration_text(run.whole_s()));
    figure.table.rows.push_back({name, words(run.parts_s[0]), words(run.parts_s[1] + run.parts_s[3]),
                                 words(run.parts_s[2]), duration_text(run.whole_s())});
  }
  for (const ReportedCase* one : cases)
    if (std::ranges::find(runs, one, &EndToEnd::of) == runs.end() && one->kind == BenchKind::cpu)
      figure.note += fmt::format(" Not drawn, since it is much longer: {}, {}.", one->what.variant,
                                 duration_text(one->kernel_s()->value));
  return {figure};
}

std::vector<Figure> energy_figure(const Ladder& ladder, const std::vector<const ReportedCase*>& cases,
                                  const std::string& id) {
  Figure figure{.id = id + "-energy",
                .title = fmt::format("Energy at {} work items", size_words(ladder.size)),
                .note = "By the GPU's own counter, over many launches one after another.",
                .shape = Shape::bars,
                .x = {"energy of one run, less is better", Unit::joules},
                .table = {.titles = {"variant", "energy"}}};
  figure.sentence = "Bar chart. " + figure.title + ".";
  for (const ReportedCase* one : cases) {
    if (!one->figure("energy")) continue;
    Curve curve = curve_for(ladder.section, *one);
    const std::string words = energy_words(one->figure("energy")->value);
    curve.points = {{one->figure("energy")->value, static_cast<double>(figure.categories.size()), one->figure("energy")->range, words}};
    figure.categories.push_back(curve.name);
    figure.sentence += fmt::format(" {}: {}.", curve.name, words);
    figure.table.rows.push_back({curve.name, with_range(*one->figure("energy"), energy_words)});
    figure.curves.push_back(std::move(curve));
  }
  if (figure.curves.empty()) return {};
  return {figure};
}

}  // namespace

std::vector<Figure> ladder_figures(const BenchSection& section, const FigureLimits& limits, const std::string& id) {
  const auto size = largest_size(section);
  if (!size || limits.device.simulated()) return {};
  std::vector<const ReportedCase*> cases = cases_at(section, *size);
  std::erase_if(cases, [](const ReportedCase* one) { return !one->kernel_s(); });
  if (cases.empty()) return {};
  Ladder ladder{section, limits, *size, true};
  ladder.is_rate = std::ranges::all_of(cases, [&](const ReportedCase* one) { return ladder.rate(*one).has_value(); });
  std::vector<Figure> figures{ladder_figure(ladder, cases, id)};
  for (Figure& figure : end_to_end_figure(ladder, cases, id)) figures.push_back(std::move(figure));
  for (Figure& figure : energy_figure(ladder, cases, id)) figures.push_back(std::move(figure));
  return figures;
}

std::vector<Figure> counted_figures(const BenchSection& section, const std::string& id) {
  const auto size = largest_size(section);
  if (!size) return {};
  std::vector<Figure> figures;
  for (const ReportedCase* one : cases_at(section, *size)) {
    for (const CountFigure& counted : count_figures(*one)) {
      auto figure = std::ranges::find(figures, counted.name, &Figure::title);
      if (figure == figures.end())
        figure = figures.insert(figures.end(), Figure{.id = fmt::format("{}-count-{}", id, figures.size()),
                                                      .title = counted.name,
                                                      .note = counted.explanation,
                                                      .shape = Shape::bars,
                                                      .x = {counted.name, Unit::count},
                                                      .table = {.titles = {"variant", counted.name}}});
      Curve curve = curve_for(section, *one);
      const std::string words = three_digits(counted.value);
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
    figure.title = fmt::format("{} at {} work items", figure.title, size_words(*size));
    figure.title.front() = static_cast<char>(std::toupper(figure.title.front()));
    figure.sentence = "Bar chart. " + figure.title + "." + figure.sentence;
  }
  return figures;
}

}  // namespace gpulab::report::html
