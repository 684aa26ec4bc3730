#include "report/html/figure.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "core/text.hpp"
#include "report/plot.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report::html {

std::optional<Ceiling> FigureLimits::measured(bool by_operations) const {
  std::optional<Ceiling> highest;
  for (const Ceiling& ceiling : ceilings) {
    const bool is_arithmetic = ceiling.what.find("multiply-add") != std::string::npos;
    if (is_arithmetic == by_operations && (!highest || ceiling.per_s > highest->per_s)) highest = ceiling;
  }
  return highest;
}

std::vector<const ReportedCase*> cases_at(const BenchSection& section, std::size_t size) {
  std::vector<const ReportedCase*> cases;
  for (const ReportedCase& one : section.cases)
    if (one.what.size == size && one.has_figures()) cases.push_back(&one);
  return cases;
}

std::size_t style_of(const BenchSection& section, const std::string& variant) {
  std::vector<std::string> names;
  for (const ReportedCase& one : section.cases)
    if (one.has_figures() && std::ranges::find(names, one.what.variant) == names.end())
      names.push_back(one.what.variant);
  // References look alike in all lessons, so they take no place.
  std::size_t place = 0;
  for (const std::string& name : names) {
    if (name == variant) break;
    const auto is_kernel = [&](const ReportedCase& one) {
      return one.what.variant == name && one.kind != BenchKind::cpu;
    };
    if (std::ranges::any_of(section.cases, is_kernel)) ++place;
  }
  return place;
}

Curve curve_for(const BenchSection& section, const ReportedCase& one) {
  const bool is_cpu = one.kind == BenchKind::cpu;
  const std::size_t style = is_cpu ? one.what.variant != "reference" : style_of(section, one.what.variant);
  return {.name = is_cpu ? one.what.variant + " (CPU)" : one.what.variant,
          .role = is_cpu ? Role::reference : Role::kernel,
          .style = style};
}

std::string with_range(const BenchFigure& measured, std::string (*text)(double)) {
  std::string words = text(measured.value);
  if (measured.range && measured.value > 0)
    words += " ± " + percent_text((measured.range->high - measured.range->low) / 2 / measured.value);
  return words;
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
  for (const ReportedCase& one : section.cases)
    if (one.kind != BenchKind::cpu && (one.kernel_s() || (one.has_figures() && one.has_counts())))
      largest = std::max(largest.value_or(0), one.what.size);
  return largest;
}

std::vector<const ReportedCase*> timed_at_largest(const BenchSection& section) {
  const auto size = largest_size(section);
  if (!size) return {};
  std::vector<const ReportedCase*> cases = cases_at(section, *size);
  std::erase_if(cases, [](const ReportedCase* one) { return !one->kernel_s(); });
  return cases;
}

}  // namespace gpulab::report::html
