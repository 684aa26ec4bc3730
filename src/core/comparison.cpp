#include "core/comparison.hpp"

#include <algorithm>

namespace gpulab {

std::string_view name_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::invalid:
      return "invalid";
    case ChangeKind::regressed:
      return "regressed";
    case ChangeKind::inconclusive:
      return "inconclusive";
    case ChangeKind::missing:
      return "missing";
    case ChangeKind::incomparable:
      return "incomparable";
    case ChangeKind::improved:
      return "improved";
    case ChangeKind::is_new:
      return "new";
    case ChangeKind::same:
      return "same";
    case ChangeKind::not_judged:
      break;
  }
  return "not_judged";
}

std::size_t Comparison::count(ChangeKind kind) const {
  return static_cast<std::size_t>(std::ranges::count(changes, kind, &Change::kind));
}

bool is_failure(ChangeKind kind, const ComparisonRules& rules) {
  if (kind == ChangeKind::missing || kind == ChangeKind::inconclusive) return rules.is_strict;
  return kind == ChangeKind::invalid || kind == ChangeKind::regressed;
}

ExitCode exit_code_of(const Comparison& comparison) {
  if (comparison.count(ChangeKind::regressed) > 0) return ExitCode::regression;
  if (comparison.count(ChangeKind::invalid) > 0) return ExitCode::wrong_result;
  const auto fails = [&](const Change& change) { return is_failure(change.kind, comparison.rules); };
  const auto is_incomplete = [](const BenchResult& result) { return !result.complete(); };
  const bool lacks_something =
      comparison.rules.is_strict && (std::ranges::any_of(comparison.before, is_incomplete) ||
                                     std::ranges::any_of(comparison.now, is_incomplete));
  return lacks_something || std::ranges::any_of(comparison.changes, fails) ? ExitCode::regression
                                                                           : ExitCode::ok;
}

}  // namespace gpulab
