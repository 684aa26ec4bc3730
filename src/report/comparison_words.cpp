#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "report/comparison_formats.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report {
namespace {

std::string processes_text(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "process" : "processes");
}

}  // namespace

std::string words_of(ChangeKind kind) {
  std::string words(name_of(kind));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string figure_text(FigureUnit unit, std::optional<double> value) {
  if (!value) return not_available;
  if (unit == FigureUnit::seconds) return duration_text(*value);
  if (unit == FigureUnit::joules) return fmt::format("{:.3g} J", *value);
  return grouped(static_cast<std::uint64_t>(std::llround(*value)));
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : "";
}

std::string ratio_text(const std::optional<Interval>& range) {
  return range ? fmt::format("{:.3f} to {:.3f}", range->low, range->high) : "";
}

std::string change_line(const Change& change) {
  std::string line = id_of(change.what);
  if (!change.figure.empty())
    line += fmt::format(", {}: {} -> {}", change.figure, figure_text(change.unit, change.before),
                        figure_text(change.unit, change.now));
  if (change.ratio)
    line += fmt::format(" ({}{}{})", ratio_text(change.ratio), change.ratio_range ? ", " : "",
                        ratio_text(change.ratio_range));
  return change.reason.empty() ? line : line + ": " + change.reason;
}

std::string comparison_summary(const Comparison& comparison) {
  std::string counts;
  for (const ChangeKind kind : all_change_kinds)
    if (const std::size_t count = comparison.count(kind); count > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, words_of(kind));
  return fmt::format("{} (threshold {:.3g} %, {}{} before, {} now)", counts, 100 * comparison.rules.threshold,
                     comparison.rules.is_strict ? "strict, " : "",
                     processes_text(comparison.processes_before), comparison.processes_now);
}

}  // namespace gpulab::report
