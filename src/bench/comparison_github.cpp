#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "base/files.hpp"
#include "base/test_report.hpp"
#include "bench/compare.hpp"
#include "lesson/lesson.hpp"
#include "source/source_parts.hpp"

namespace gpulab::bench {

bool is_failure(const Change& change, const ComparisonRules& rules) {
  if (change.kind == ChangeKind::missing || change.kind == ChangeKind::inconclusive || change.is_wrong())
    return rules.is_strict;
  return change.kind == ChangeKind::invalid || change.kind == ChangeKind::regressed;
}

ExitCode exit_code_of(const Comparison& comparison) {
  ExitCode wrong = ExitCode::ok;
  for (const Change& change : comparison.changes)
    if (change.kind == ChangeKind::invalid) wrong = std::max({wrong, change.code, ExitCode::wrong_result});
  if (wrong != ExitCode::ok) return wrong;
  const auto fails = [&](const Change& change) { return is_failure(change, comparison.rules); };
  return !comparison.strict_failures.empty() || std::ranges::any_of(comparison.changes, fails)
             ? ExitCode::regression
             : ExitCode::ok;
}

std::optional<Annotation::Severity> severity(const Change& change, const ComparisonRules& rules) {
  if (is_failure(change, rules)) return Annotation::Severity::error;
  switch (change.kind) {
    case ChangeKind::incomparable:
      if (change.is_repaired()) return std::nullopt;
      [[fallthrough]];
    case ChangeKind::inconclusive:
    case ChangeKind::missing:
      return Annotation::Severity::warning;
    default:
      return std::nullopt;
  }
}

namespace {

// Returns the line in which the kernel begins; 1 if the file is not here.
int line_of_kernel(const std::string& file, const std::string& kernel) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  return is_file(file) ? source::line_of_kernel(source::Code(read_file(file, max_bytes)), kernel) : 1;
}

// Returns the line that the case's explanation is about; 0 if unknown.
int line_of_fault(const BenchCase& what, const BenchResult& measured) {
  const auto found = std::ranges::find_if(
      measured.rows, [&](const BenchRow& row) { return row.line > 0 && row.what == what; });
  return found == measured.rows.end() ? 0 : found->line;
}

// Joins annotations of one line, such as of all kernels of a file with an error: GitHub shows ten of a kind.
// A joined annotation has four messages; a fifth, such as "and 2 more", says how many were left out.
std::vector<Annotation> joined(const std::vector<Annotation>& all) {
  constexpr std::size_t max_messages = 4;
  std::vector<Annotation> annotations;
  for (const Annotation& first : all) {
    const auto is_joined = [&](const Annotation& other) {
      return !first.file.empty() && other.severity == first.severity && other.file == first.file &&
             other.line == first.line;
    };
    if (std::ranges::any_of(annotations, is_joined)) continue;
    Annotation& shown = annotations.emplace_back(first);
    std::size_t count = 0;
    for (const Annotation& other : all)
      if (is_joined(other) && ++count > 1 && count <= max_messages) shown.message += "\n" + other.message;
    if (count > max_messages) shown.message += fmt::format("\nand {} more", count - max_messages);
  }
  return annotations;
}

// Returns the annotations of one kind, the worst first. GitHub shows ten of a kind in a step: the tenth then
// says how many more there are.
std::string shown_by_github(std::vector<Annotation> annotations, Annotation::Severity kind,
                            const std::string& summary) {
  constexpr std::size_t max_shown = 10;
  std::erase_if(annotations, [&](const Annotation& annotation) { return annotation.severity != kind; });
  if (annotations.size() > max_shown) {
    const std::string more = fmt::format("{} more in the log", annotations.size() - (max_shown - 1));
    annotations.insert(annotations.begin() + (max_shown - 1),
                       {.severity = kind, .title = "gpulab: " + more, .message = summary});
  }
  std::string text;
  for (const Annotation& annotation : annotations) text += github_line(annotation);
  return text;
}

}  // namespace

Annotation annotation_of(const BenchCase& what, const BenchResult& measured) {
  const std::string& folder = measured.plan.kernels;
  for (const Lesson& lesson : all_lessons())
    for (const Variant& variant : lesson.variants)
      if (lesson.is_called(what.lesson) && variant.name == what.variant && variant.library.empty()) {
        if (folder.empty()) return {.line = 0};
        const std::string file = folder + "/" + lesson.file_of(variant);
        const int line = line_of_fault(what, measured);
        return {.file = file, .line = line > 0 ? line : line_of_kernel(file, variant.kernel)};
      }
  return {.line = 0};
}

void join_equal_failures(std::vector<Change>& cases, const Comparison& comparison) {
  const BenchResult& measured = comparison.now.front();
  const auto key = [&](const Change& failed) -> std::string {
    if (!failed.observed) return "";
    if (failed.code == ExitCode::compilation) return words_of(failed.kind) + failed.reason;
    if (line_of_fault(failed.what, measured) == 0) return "";
    const Annotation place = annotation_of(failed.what, measured);
    return fmt::format("{} {}:{}", words_of(failed.kind), place.file, place.line);
  };
  std::map<std::string, std::size_t> positions;  // of the first case with each key among those kept
  std::vector<std::size_t> more;                 // cases like each of those kept
  std::vector<Change> kept;
  for (Change& failed : cases) {
    const std::string shared = key(failed);
    const auto [position, is_first] = positions.try_emplace(shared, kept.size());
    if (!is_first && !shared.empty()) {
      ++more[position->second];
      continue;
    }
    kept.push_back(std::move(failed));
    more.push_back(0);
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (more[i] > 0) kept[i].reason += fmt::format(" (and {} more like it)", more[i]);
  cases = std::move(kept);
}

std::string comparison_github(const Comparison& comparison) {
  using enum Annotation::Severity;
  std::vector<Annotation> annotations;
  if (!comparison.strict_failures.empty())
    annotations.push_back({.severity = error,
                           .title = "gpulab: fails by --strict",
                           .message = strict_failure_text(comparison)});
  std::vector<Change> changes = comparison.changes;
  join_equal_failures(changes, comparison);
  for (const Change& change : changes)
    if (const auto level = severity(change, comparison.rules); level && !change.is_one_sided_case()) {
      Annotation annotation = annotation_of(change.what, comparison.now.front());
      annotation.severity = *level;
      annotation.title =
          fmt::format("gpulab: {} {} {}", change.what.lesson, change.what.variant, words_of(change.kind));
      annotation.message = change_line(change);
      annotations.push_back(std::move(annotation));
    }
  annotations = joined(annotations);
  for (const OneSidedCases& cases : one_sided_cases(comparison))
    if (const auto level = severity(Change{.kind = cases.kind}, comparison.rules))
      annotations.push_back({.severity = *level,
                             .title = fmt::format("gpulab: {} {}", cases.lesson, words_of(cases.kind)),
                             .message = cases.text()});
  const std::string summary = comparison_summary(comparison);
  std::string text = shown_by_github(annotations, error, summary) +
                     shown_by_github(annotations, warning, summary) +
                     github_line({.severity = note, .title = "gpulab report", .message = summary});
  for (const std::string& remark : comparison.remarks)
    text += github_line({.severity = note, .title = "gpulab", .message = remark});
  return text;
}

}  // namespace gpulab::bench
