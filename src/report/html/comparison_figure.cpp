#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "report/case_text.hpp"
#include "report/comparison_formats.hpp"
#include "report/html/figure.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report::html {
namespace {

constexpr std::size_t most_drawn = 20;  // fit on one sheet of paper

struct Kind {
  ChangeKind kind;
  Role role;
};
constexpr Kind drawn_kinds[] = {{ChangeKind::regressed, Role::regressed},
                                {ChangeKind::improved, Role::improved},
                                {ChangeKind::inconclusive, Role::inconclusive},
                                {ChangeKind::same, Role::same}};

// What tells the rows of a comparison from each other: lessons and options only as far as they differ.
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
  static std::vector<BenchCase> cases_of(const Comparison& comparison) {
    std::vector<BenchCase> cases;
    for (const Change& change : comparison.changes) cases.push_back(change.what);
    return cases;
  }

  CaseDifferences differences_;
  std::set<std::string> lessons_;
};

std::string range_words(const Change& change) {
  if (!change.ratio) return "";
  const std::string ratio = ratio_text(change.ratio);
  return change.ratio_range ? fmt::format("{} ({})", ratio, ratio_text(change.ratio_range)) : ratio;
}

// Counts that did not change would only hide the times.
std::vector<const Change*> drawn_changes(const Comparison& comparison) {
  std::vector<const Change*> drawn;
  for (const Change& change : comparison.changes) {
    const bool is_count = change.unit == FigureUnit::count;
    const bool is_drawn_kind =
        std::ranges::find(drawn_kinds, change.kind, &Kind::kind) != std::end(drawn_kinds);
    if (change.ratio && is_drawn_kind && !(is_count && change.kind == ChangeKind::same))
      drawn.push_back(&change);
  }
  const auto place = [](const Change* change) {
    return std::ranges::find(drawn_kinds, change->kind, &Kind::kind) - std::begin(drawn_kinds);
  };
  std::ranges::stable_sort(drawn, {}, place);
  return drawn;
}

FigureTable table_of_changes(const Comparison& comparison) {
  const RowNames names(comparison);
  FigureTable table{.titles = {"what", "before", "now", "now / before", "verdict", "why"}};
  std::vector<const Change*> all;
  for (const Change& change : comparison.changes)
    if (change.kind != ChangeKind::not_judged) all.push_back(&change);
  const auto is_same = [](const Change* change) { return change->kind == ChangeKind::same; };
  std::ranges::stable_sort(all, {}, is_same);
  for (const Change* change : all)
    table.rows.push_back({names.of(*change), figure_text(change->unit, change->before),
                          figure_text(change->unit, change->now), range_words(*change),
                          words_of(change->kind), change->reason});
  return table;
}

}  // namespace

std::vector<Figure> comparison_figures(const Comparison& comparison, const std::string& id) {
  std::vector<const Change*> drawn = drawn_changes(comparison);
  if (drawn.empty()) return {};
  const RowNames names(comparison);
  const double threshold = comparison.rules.threshold;
  Figure figure{.id = id,
                .title = "Now compared with before",
                .note = fmt::format(
                    "Bars are the ranges in which the ratios lie. In the shaded band, up to {}, times count "
                    "as the same.",
                    percent_text(threshold)),
                .shape = Shape::ratios,
                .x = {"now / before, less is better", Unit::ratio, true},
                .band = Interval{1 - threshold, 1 + threshold},
                .table = table_of_changes(comparison)};
  if (drawn.size() > most_drawn) {
    figure.note += fmt::format(" {} more are in the table only.", drawn.size() - most_drawn);
    drawn.resize(most_drawn);
  }
  figure.sentence = fmt::format("Ratios of {} figures.", drawn.size());
  for (const Kind& kind : drawn_kinds) {
    Curve curve{words_of(kind.kind), kind.role, 0, {}};
    for (std::size_t i = 0; i < drawn.size(); ++i)
      if (drawn[i]->kind == kind.kind)
        curve.points.push_back(
            {*drawn[i]->ratio, static_cast<double>(i), drawn[i]->ratio_range, range_words(*drawn[i])});
    if (curve.points.empty()) continue;
    figure.sentence += fmt::format(" {} {}.", curve.points.size(), words_of(kind.kind));
    figure.curves.push_back(std::move(curve));
  }
  for (const Change* change : drawn) {
    figure.categories.push_back(names.of(*change));
    if (change->kind != ChangeKind::same)
      figure.sentence +=
          fmt::format(" {}: {} times, {}.", names.of(*change), range_words(*change), words_of(change->kind));
  }
  return {figure};
}

}  // namespace gpulab::report::html
