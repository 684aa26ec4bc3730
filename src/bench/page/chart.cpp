#include "bench/page/chart.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>

#include "base/plot.hpp"
#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"

namespace gpulab::bench::page {

std::optional<Ceiling> ChartLimits::highest_ceiling(bool by_operations) const {
  std::optional<Ceiling> highest;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.is_of_arithmetic() == by_operations && (!highest || ceiling.per_s > highest->per_s))
      highest = ceiling;
  }
  return highest;
}

std::vector<const CaseFigures*> cases_at(const BenchSection& section, std::size_t size) {
  std::vector<const CaseFigures*> cases;
  for (const CaseFigures& measured : section.cases)
    if (measured.what.size == size && measured.has_figures()) cases.push_back(&measured);
  return cases;
}

namespace {

// Returns the index of a variant among the kernels of its section, which selects its colour and its marker.
std::size_t style_of(const BenchSection& section, const std::string& variant) {
  std::vector<std::string> names;
  for (const CaseFigures& measured : section.cases) add_once(names, measured.what.variant);
  // References have the same look in all lessons, so they are not counted.
  std::size_t index = 0;
  for (const std::string& name : names) {
    if (name == variant) break;
    const auto is_kernel = [&](const CaseFigures& measured) {
      return measured.what.variant == name && measured.kind != BenchKind::cpu;
    };
    if (std::ranges::any_of(section.cases, is_kernel)) ++index;
  }
  return index;
}

}  // namespace

Curve curve_for(const BenchSection& section, const CaseFigures& measured) {
  const bool is_cpu = measured.kind == BenchKind::cpu;
  const std::size_t reference_style = measured.what.variant == plain_reference ? 0 : 1;
  return {.name = is_cpu ? measured.what.variant + " (CPU)" : measured.what.variant,
          .role = is_cpu ? Role::reference : Role::kernel,
          .style = is_cpu ? reference_style : style_of(section, measured.what.variant)};
}

std::string with_range(const BenchFigure& measured, std::string (*text)(double)) {
  return text(measured.value) + half_range_text(measured);
}

std::string rate_with_unit(double per_s, bool by_operations) {
  return three_digits(per_s * 1e-9) + (by_operations ? " GFLOP/s" : " GB/s");
}

std::string size_words(std::size_t size) {
  const std::string tick = size_tick_text(static_cast<double>(size));
  if (!tick.starts_with("2^")) return grouped(size);
  constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string words = "2";
  for (const char digit : tick.substr(2)) words += raised[digit - '0'];
  return words;
}

std::optional<std::size_t> largest_size(const BenchSection& section) {
  std::optional<std::size_t> largest;
  for (const CaseFigures& measured : section.cases)
    if (measured.kind != BenchKind::cpu &&
        (measured.kernel_s() || (measured.has_figures() && measured.has_counts())))
      largest = std::max(largest.value_or(0), measured.what.size);
  return largest;
}

std::vector<const CaseFigures*> timed_at_all_sizes(const BenchSection& section) {
  std::vector<const CaseFigures*> cases;
  for (const std::size_t size : section.sizes() | std::views::reverse)
    for (const CaseFigures* measured : cases_at(section, size))
      if (measured->kernel_s()) cases.push_back(measured);
  return cases;
}

std::vector<const CaseFigures*> timed_at_largest(const BenchSection& section) {
  std::vector<const CaseFigures*> cases = timed_at_all_sizes(section);
  std::erase_if(cases,
                [size = largest_size(section)](const auto* measured) { return measured->what.size != size; });
  return cases;
}

namespace {

struct RooflinePoint {
  const CaseFigures* figures;
  double intensity;  // operations per byte
  double operations_per_s;
};

std::optional<RooflinePoint> roofline_point(const CaseFigures& measured) {
  const double bytes = measured.traffic.bytes_read + measured.traffic.bytes_written;
  const auto seconds = measured.kernel_s();
  if (measured.kind == BenchKind::cpu || !seconds || bytes <= 0 || measured.traffic.operations <= 0)
    return std::nullopt;
  return RooflinePoint{&measured, measured.traffic.operations / bytes,
                       measured.traffic.operations / seconds->value};
}

std::vector<RooflinePoint> points_of(const BenchSection& section) {
  std::vector<RooflinePoint> points;
  if (const auto size = largest_size(section))
    for (const CaseFigures* measured : cases_at(section, *size))
      if (const auto point = roofline_point(*measured)) points.push_back(*point);
  return points;
}

// Returns a roofline: up to the ridge a slope, where memory is the limit; then a level, where arithmetic is.
// A rate of 0 is not known; without operations_per_s there is only the slope.
std::optional<Curve> roof(const std::string& name, Role role, double bytes_per_s, double operations_per_s,
                          Interval intensities) {
  if (bytes_per_s <= 0) return std::nullopt;
  const auto height = [&](double intensity) {
    const double by_memory = intensity * bytes_per_s;
    return operations_per_s > 0 ? std::min(by_memory, operations_per_s) : by_memory;
  };
  std::vector<double> drawn{intensities.low, intensities.high};
  const double ridge = operations_per_s / bytes_per_s;
  if (ridge > intensities.low && ridge < intensities.high) drawn.push_back(ridge);
  std::ranges::sort(drawn);
  Curve curve{name, role, 0, {}};
  for (const double intensity : drawn) curve.points.push_back({intensity, height(intensity)});
  return curve;
}

void add_roofs(Chart& chart, const ChartLimits& limits, Interval intensities) {
  const auto memory = limits.highest_ceiling(/*by_operations=*/false);
  const auto arithmetic = limits.highest_ceiling(/*by_operations=*/true);
  // Widens the range so that the ridge is in sight.
  const double bytes_per_s = memory ? memory->per_s : limits.device.peak_bytes_per_s;
  const double operations_per_s = arithmetic ? arithmetic->per_s : limits.device.peak_operations_per_s;
  if (bytes_per_s > 0 && operations_per_s > 0) {
    const double ridge = operations_per_s / bytes_per_s;
    intensities = {std::min(intensities.low, ridge / 4), std::max(intensities.high, ridge * 4)};
  }
  intensities = {intensities.low / 2, intensities.high * 2};  // a margin beside the points
  if (memory)
    if (auto curve = roof("measured ceiling", Role::measured_limit, memory->per_s,
                          arithmetic ? arithmetic->per_s : 0, intensities))
      chart.curves.push_back(*curve);
  if (auto curve = roof("theoretical peak", Role::theoretical_limit, limits.device.peak_bytes_per_s,
                        limits.device.peak_operations_per_s, intensities))
    chart.curves.push_back(*curve);
}

std::string operations_words(double per_s) {
  return per_s >= 1e12 ? three_digits(per_s * 1e-12) + " TFLOP/s" : three_digits(per_s * 1e-9) + " GFLOP/s";
}

std::optional<double> fraction_of_roof(const RooflinePoint& point, const ChartLimits& limits) {
  const auto memory = limits.highest_ceiling(/*by_operations=*/false);
  const auto arithmetic = limits.highest_ceiling(/*by_operations=*/true);
  if (!memory) return std::nullopt;
  const double by_memory = point.intensity * memory->per_s;
  return point.operations_per_s / (arithmetic ? std::min(by_memory, arithmetic->per_s) : by_memory);
}

// Returns whether a kernel of a section is faster than the measured ceilings allow.
bool is_above_roof(const BenchSection& section, const ChartLimits& limits) {
  return std::ranges::any_of(points_of(section), [&](const RooflinePoint& point) {
    return fraction_of_roof(point, limits).value_or(0) > 1;
  });
}

// Adds the points of a section: a series for each variant if the chart has no other section, else one series.
void add_points(Chart& chart, const BenchSection& section, bool is_only_section, std::size_t index,
                const ChartLimits& limits) {
  Curve section_curve{section.title(), Role::kernel, index, {}};
  for (const RooflinePoint& point : points_of(section)) {
    const auto fraction = fraction_of_roof(point, limits);
    const ChartPoint drawn{point.intensity, point.operations_per_s, {}, point.figures->what.variant};
    if (is_only_section) {
      Curve curve = curve_for(section, *point.figures);
      curve.points = {drawn};
      chart.curves.push_back(std::move(curve));
    } else {
      section_curve.points.push_back(drawn);
    }
    chart.table.rows.push_back({section.title(), point.figures->what.variant,
                                size_words(point.figures->what.size), three_digits(point.intensity),
                                operations_words(point.operations_per_s),
                                fraction ? percent_text(*fraction) : ""});
  }
  if (!section_curve.points.empty()) chart.curves.push_back(std::move(section_curve));
}

}  // namespace

std::vector<Chart> roofline_charts(const std::vector<BenchSection>& sections, const ChartLimits& limits,
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
  Chart chart{
      .id = id,
      .title = "Roofline",
      .note =
          "Operations and bytes are those that the problem needs. Below the slope, memory is the limit; below the level part, arithmetic is.",
      .shape = Shape::scatter,
      .x = {"floating-point operations per byte", Unit::operations_per_byte, /*logarithmic=*/true},
      .y = {"TFLOP/s", Unit::teraflops, /*logarithmic=*/true},
      .table = {
          .titles = {"lesson", "variant", "size", "operations per byte", "reached", "of the measured roof"}}};
  if (std::ranges::any_of(drawn, [&](const auto* section) { return is_above_roof(*section, limits); }))
    chart.note += " Kernels above the roof use tensor cores or find their data in a cache.";
  for (std::size_t i = 0; i < drawn.size(); ++i) add_points(chart, *drawn[i], drawn.size() == 1, i, limits);
  chart.sentence =
      fmt::format("Roofline. {} kernels, between {} and {} operations per byte.", chart.table.rows.size(),
                  three_digits(intensities.low), three_digits(intensities.high));
  for (const std::vector<std::string>& row : chart.table.rows)
    chart.sentence += fmt::format(" {} {}: {}.", row[0], row[1], row[4]);  // lesson, variant, reached
  add_roofs(chart, limits, intensities);
  return {chart};
}

namespace {

constexpr std::size_t max_drawn = 20;  // pairs of bars that fit on a sheet of paper

struct DrawnKind {
  ChangeKind kind;
  Role role;
};
constexpr DrawnKind drawn_kinds[] = {{ChangeKind::regressed, Role::regressed},
                                     {ChangeKind::improved, Role::improved},
                                     {ChangeKind::inconclusive, Role::inconclusive},
                                     {ChangeKind::same, Role::same}};

// Names of the rows of a comparison. Lessons and options are named only if they differ.
class RowNames {
 public:
  explicit RowNames(const Comparison& comparison) : differences_(cases_of(comparison)) {
    for (const Change& change : comparison.changes) lessons_.insert(change.what.lesson);
  }
  std::string of(const Change& change) const {
    std::string name = lessons_.size() > 1 ? change.what.lesson + " " : "";
    name += change.what.variant;
    if (!change.figure.empty()) name += ", " + change.figure;
    name += ", " + size_words(change.what.size);
    const std::string options = differences_.text(change.what);
    return options.empty() ? name : name + ", " + options;
  }

 private:
  CaseDifferences differences_;
  std::set<std::string> lessons_;
};

std::string range_words(const Change& change) {
  if (!change.ratio) return "";
  const std::string ratio = ratio_text(change.ratio);
  return change.ratio_range ? fmt::format("{} ({})", ratio, ratio_text(change.ratio_range)) : ratio;
}

// Returns the words for a value of the change; of a whole case, for its outcome.
std::string value_words(const Change& change, const std::optional<double>& value,
                        const std::optional<Outcome>& outcome) {
  if (!change.figure.empty()) return figure_text(change.unit, value);
  return outcome ? std::string(name_of(*outcome)) : "";
}

bool can_be_drawn(const Change& change) {
  return change.ratio && contains(drawn_kinds, change.kind, &DrawnKind::kind);
}

// Returns the changes to draw. Counts that did not change are left out: they would only hide the times.
std::vector<const Change*> drawn_changes(const Comparison& comparison) {
  std::vector<const Change*> drawn;
  for (const Change& change : comparison.changes)
    if (can_be_drawn(change) && (change.kind != ChangeKind::same || change.has_threshold()))
      drawn.push_back(&change);
  const auto rank = [](const Change* change) {
    return std::ranges::find(drawn_kinds, change->kind, &DrawnKind::kind) - std::begin(drawn_kinds);
  };
  std::ranges::stable_sort(drawn, {}, rank);
  return drawn;
}

// Returns a table of the changes for which `is_shown` is true; those that are the same come last.
template <class IsShown>
ChartTable table_of_changes(const Comparison& comparison, const IsShown& is_shown) {
  const RowNames names(comparison);
  ChartTable table{.titles = {"what", "before", "now", "now / before", "verdict", "why"}};
  std::vector<const Change*> shown;
  for (const Change& change : comparison.changes)
    if (is_shown(change)) shown.push_back(&change);
  const auto was_right = [](const Change& change) {
    return change.kind == ChangeKind::invalid ? std::optional(Outcome::right) : std::nullopt;
  };
  const auto is_same = [](const Change* change) { return change->kind == ChangeKind::same; };
  std::ranges::stable_sort(shown, {}, is_same);
  for (const Change* change : shown)
    table.rows.push_back({names.of(*change), value_words(*change, change->before, was_right(*change)),
                          value_words(*change, change->now, change->observed), range_words(*change),
                          words_of(change->kind), change->reason});
  return table;
}

}  // namespace

ChartTable undrawn_changes(const Comparison& comparison) {
  return table_of_changes(comparison, [](const Change& change) {
    return change.kind != ChangeKind::same && change.kind != ChangeKind::not_judged &&
           !change.is_one_sided_case() && !can_be_drawn(change);
  });
}

std::vector<Chart> comparison_charts(const Comparison& comparison, const std::string& id) {
  std::vector<const Change*> drawn = drawn_changes(comparison);
  if (drawn.empty()) return {};
  const RowNames names(comparison);
  const double threshold = comparison.rules.threshold;
  const bool has_band =
      std::ranges::any_of(drawn, [](const Change* change) { return change->has_threshold(); });
  Chart chart{.id = id,
              .title = "Now compared with before",
              .note = "Each bar is relative to before.",
              .shape = Shape::pairs,
              .x = {"relative to before, less is better", Unit::ratio},
              .table = table_of_changes(
                  comparison, [](const Change& change) { return change.kind != ChangeKind::not_judged; })};
  if (has_band) {
    chart.note += fmt::format(
        " Whiskers are the ranges in which the ratios lie. In the shaded band, up to {}, times count as the same.",
        percent_text(threshold));
    chart.band = Interval{1 - threshold, 1 + threshold};
  }
  if (drawn.size() > max_drawn) {
    chart.note += fmt::format(" {} more are in the table only.", drawn.size() - max_drawn);
    drawn.resize(max_drawn);
  }
  chart.sentence = fmt::format("Pairs of bars for {} figures, before and now.", drawn.size());
  Curve before{"before", Role::before, 0, {}};
  for (std::size_t i = 0; i < drawn.size(); ++i)
    before.points.push_back({1, static_cast<double>(i), {}, figure_text(drawn[i]->unit, drawn[i]->before)});
  chart.curves.push_back(std::move(before));
  for (const DrawnKind& kind : drawn_kinds) {
    Curve curve{std::string("now, ") + words_of(kind.kind), kind.role, 0, {}};
    for (std::size_t i = 0; i < drawn.size(); ++i)
      if (drawn[i]->kind == kind.kind)
        curve.points.push_back({*drawn[i]->ratio, static_cast<double>(i), drawn[i]->ratio_range,
                                fmt::format("{}, {}x, {}", figure_text(drawn[i]->unit, drawn[i]->now),
                                            ratio_text(drawn[i]->ratio), words_of(kind.kind))});
    if (curve.points.empty()) continue;
    chart.sentence += fmt::format(" {} {}.", curve.points.size(), words_of(kind.kind));
    chart.curves.push_back(std::move(curve));
  }
  for (const Change* change : drawn) {
    chart.categories.push_back(names.of(*change));
    if (change->kind != ChangeKind::same)
      chart.sentence +=
          fmt::format(" {}: {} times, {}.", names.of(*change), range_words(*change), words_of(change->kind));
  }
  return {chart};
}

}  // namespace gpulab::bench::page
