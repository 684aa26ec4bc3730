#include "report/lesson_changes.hpp"

#include <algorithm>
#include <tuple>

#include "report/quantity_text.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

constexpr const char* becomes = " -> ";

bool has_other_failure(const VariantResult& before, const VariantResult& now) {
  const auto place = [](const VariantResult& variant) {
    const Failure failure = variant.failure.value_or(Failure{});
    return std::tuple(variant.pattern, failure.kind, failure.line);
  };
  return !now.as_expected() && place(before) != place(now);
}

bool has_other_result(const VariantResult& before, const VariantResult& now) {
  return result_cell(before).text != result_cell(now).text || has_other_failure(before, now);
}

bool has_other_time(const VariantResult& before, const VariantResult& now) {
  if (!before.kernel_cold || !now.kernel_cold) return false;
  const auto &was = before.kernel_cold->confidence_s, &is = now.kernel_cold->confidence_s;
  return was && is && (was->high < is->low || is->high < was->low);
}

// What was measured differs each time; what was counted does not.
const Figure* other_count(const VariantResult& before, const Figure& now) {
  if (now.unit.ends_with("/s")) return nullptr;
  const auto& figures = before.findings.figures;
  const auto found = std::ranges::find(figures, now.name, &Figure::name);
  return found != figures.end() && found->value != now.value ? &*found : nullptr;
}

bool has_other_count(const VariantResult& before, const VariantResult& now) {
  return std::ranges::any_of(now.findings.figures,
                             [&](const Figure& figure) { return other_count(before, figure); });
}

}  // namespace

const VariantResult* LessonChanges::earlier(const VariantResult& variant) const {
  if (!before_) return nullptr;
  const auto found = std::ranges::find(before_->variants, variant.name, &VariantResult::name);
  return found == before_->variants.end() ? nullptr : &*found;
}

Cell LessonChanges::name(const std::string& reference) const {
  return {(before_ ? "  " : "") + reference};
}

bool LessonChanges::has_changed(const VariantResult& variant) const {
  const VariantResult* const before = earlier(variant);
  return before && (has_other_result(*before, variant) || has_other_time(*before, variant) ||
                    has_other_count(*before, variant));
}

Cell LessonChanges::name(const VariantResult& variant) const {
  return has_changed(variant) ? Cell{"~ " + variant.name, Ink::bold} : name(variant.name);
}

std::string LessonChanges::story(const VariantResult& variant, std::size_t asked_size) const {
  const std::string whole = report::story(variant, asked_size);
  const bool is_known = earlier(variant) && !has_changed(variant) && variant.as_expected();
  return is_known ? whole.substr(0, whole.find(": ")) : whole;
}

Cell LessonChanges::result(const VariantResult& variant) const {
  Cell now = result_cell(variant);
  const VariantResult* const before = earlier(variant);
  if (!before) return now;
  const std::string was = result_cell(*before).text;
  return was == now.text ? now : Cell{was + becomes + now.text, now.ink};
}

Cell LessonChanges::time(const VariantResult& variant, Cell now) const {
  const VariantResult* const before = earlier(variant);
  if (!before || !has_other_time(*before, variant)) return now;
  return {duration_text(before->kernel_cold->median_s) + becomes + now.text, now.ink};
}

Cell LessonChanges::figure(const VariantResult& variant, const Figure& figure) const {
  const Cell now{figure_text(figure.value)};
  const VariantResult* const before = earlier(variant);
  const Figure* const was = before ? other_count(*before, figure) : nullptr;
  return was ? Cell{figure_text(was->value) + becomes + now.text, Ink::bold} : now;
}

}  // namespace gpulab::report
