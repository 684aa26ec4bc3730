#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "report/html/figure.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report::html {
namespace {

constexpr std::size_t most_drawn = 40;

struct Kind {
  ChangeKind kind;
  Role role;
  const char* name;
};
constexpr Kind drawn_kinds[] = {{ChangeKind::regressed, Role::regressed, "regressed"},
                                {ChangeKind::improved, Role::improved, "improved"},
                                {ChangeKind::inconclusive, Role::inconclusive, "inconclusive"},
                                {ChangeKind::same, Role::same, "same"}};

const char* kind_words(ChangeKind kind) {
  for (const Kind& drawn : drawn_kinds)
    if (drawn.kind == kind) return drawn.name;
  switch (kind) {
    case ChangeKind::invalid:
      return "invalid";
    case ChangeKind::is_new:
      return "new";
    case ChangeKind::missing:
      return "missing";
    default:
      return "incomparable";
  }
}

bool is_time(const Change& change) {
  return change.figure == "cold" || change.figure == "steady" || change.figure == "to_device" ||
         change.figure == "to_host" || change.figure == "cpu";
}

std::string value_words(const Change& change, const std::optional<double>& value) {
  if (!value) return "";
  if (is_time(change)) return duration_text(*value);
  return change.figure == "energy" ? three_digits(*value * 1e3) + " mJ" : three_digits(*value);
}

// What no other row has in common with it: sections have the lesson's name in their titles, rows have not.
std::string row_name(const Change& change) {
  std::string name = fmt::format("{} {} {}", change.what.lesson, change.what.variant, size_words(change.what.size));
  return change.figure.empty() ? name : name + ", " + change.figure;
}

std::string range_words(const Change& change) {
  if (!change.ratio) return "";
  const std::string ratio = fmt::format("{:.3f}", *change.ratio);
  if (!change.ratio_range) return ratio;
  return fmt::format("{} ({:.3f} to {:.3f})", ratio, change.ratio_range->low, change.ratio_range->high);
}

// Counts that did not change would only hide the times.
std::vector<const Change*> drawn_changes(const Comparison& comparison) {
  std::vector<const Change*> drawn;
  for (const Change& change : comparison.changes) {
    const bool is_count = !is_time(change) && change.figure != "energy";
    const bool is_drawn_kind = std::ranges::find(drawn_kinds, change.kind, &Kind::kind) != std::end(drawn_kinds);
    if (change.ratio && is_drawn_kind && !(is_count && change.kind == ChangeKind::same)) drawn.push_back(&change);
  }
  const auto place = [](const Change* change) {
    return std::ranges::find(drawn_kinds, change->kind, &Kind::kind) - std::begin(drawn_kinds);
  };
  std::ranges::stable_sort(drawn, {}, place);
  return drawn;
}

FigureTable table_of_changes(const Comparison& comparison) {
  FigureTable table{.titles = {"what", "before", "now", "now / before", "verdict", "why"}};
  std::vector<const Change*> all;
  for (const Change& change : comparison.changes) all.push_back(&change);
  const auto is_same = [](const Change* change) { return change->kind == ChangeKind::same; };
  std::ranges::stable_sort(all, {}, is_same);
  for (const Change* change : all)
    table.rows.push_back({row_name(*change), value_words(*change, change->before), value_words(*change, change->now),
                          range_words(*change), kind_words(change->kind), change->reason});
  return table;
}

}  // namespace

std::vector<Figure> comparison_figures(const Comparison& comparison, const std::string& id) {
  std::vector<const Change*> drawn = drawn_changes(comparison);
  if (drawn.empty()) return {};
  const double threshold = comparison.rules.threshold;
  Figure figure{.id = id,
                .title = "Now compared with before",
                .note = fmt::format("Bars are the ranges in which the ratios lie. In the shaded band, up to {}, times count "
                                    "as the same.", percent_text(threshold)),
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
    Curve curve{kind.name, kind.role, 0, {}};
    for (std::size_t i = 0; i < drawn.size(); ++i)
      if (drawn[i]->kind == kind.kind)
        curve.points.push_back({*drawn[i]->ratio, static_cast<double>(i), drawn[i]->ratio_range, range_words(*drawn[i])});
    if (curve.points.empty()) continue;
    figure.sentence += fmt::format(" {} {}.", curve.points.size(), kind.name);
    figure.curves.push_back(std::move(curve));
  }
  for (const Change* change : drawn) {
    figure.categories.push_back(row_name(*change));
    if (change->kind != ChangeKind::same)
      figure.sentence += fmt::format(" {}: {} times, {}.", row_name(*change), range_words(*change), kind_words(change->kind));
  }
  return {figure};
}

}  // namespace gpulab::report::html
