#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.hpp"
#include "base/test_report.hpp"
#include "bench/result.hpp"
#include "lesson/result.hpp"

namespace gpulab::bench {

// Kinds of differences between the measurements now and before, the worst first.
enum class ChangeKind {
  invalid,       // a result is wrong, so its figures mean nothing
  regressed,     // needs more: time, energy or accesses
  inconclusive,  // the measurements cannot decide
  missing,       // measured before only
  incomparable,  // no right result to compare with
  allowed,       // needs more, or is missing, and may
  improved,
  is_new,
  same,
  not_judged,  // for information only: the CPU's references, copies, requests and lanes
};
constexpr ChangeKind all_change_kinds[] = {
    ChangeKind::invalid,      ChangeKind::regressed, ChangeKind::inconclusive, ChangeKind::missing,
    ChangeKind::incomparable, ChangeKind::allowed,   ChangeKind::improved,     ChangeKind::is_new,
    ChangeKind::same,         ChangeKind::not_judged};
std::string_view name_of(ChangeKind kind);  // "regressed", "new", "not_judged"

// Figure of a case, before and now.
struct Change {
  BenchCase what;
  std::string figure;  // "cold", "steady", "energy", "global_load_sectors"; empty for a case as a whole
  FigureUnit unit = FigureUnit::seconds;
  ChangeKind kind = ChangeKind::same;
  std::optional<double> before, now;     // the median of the processes' medians
  std::optional<double> ratio;           // now / before
  std::optional<Interval> ratio_range;   // range of the ratio; none for counts, which are exact
  std::string reason;                    // explains the kind, where it needs an explanation
  std::optional<Outcome> observed = {};  // of a case that is not valid
  ExitCode code = ExitCode::ok;          // what a wrong case alone would end with

  // Returns whether it is a whole case that only one side has: there may be many, so they are grouped.
  bool is_one_sided_case() const {
    return figure.empty() && (kind == ChangeKind::missing || kind == ChangeKind::is_new);
  }
  // Returns whether the case is right now, and was wrong or did not run before.
  bool is_repaired() const {
    return figure.empty() && !observed && !reason.empty() &&
           (kind == ChangeKind::is_new || kind == ChangeKind::incomparable);
  }
  // Returns whether the result now is wrong, without a right one before.
  bool is_wrong() const { return kind == ChangeKind::incomparable && observed; }
  // Returns whether it is a figure that is judged by the threshold; counts are exact.
  bool has_threshold() const { return !figure.empty() && unit != FigureUnit::count; }
};

inline constexpr const char* sides = "sides";  // what --allow calls a base that was measured later

struct ComparisonRules {
  double threshold = 0.03;                      // for times, as a fraction; for energy, a multiple of it
  std::optional<double> min_difference_s = {};  // if none, the resolution of the figure's clock
  bool is_strict = false;                       // whether figures fail that are missing or cannot be judged
  // Figures that may grow: FIGURE, LESSON:FIGURE, LESSON/VARIANT:FIGURE or LESSON/VARIANT; a figure may be "missing".
  std::vector<std::string> may_grow = {};
};

struct Comparison {
  ComparisonRules rules;
  std::vector<BenchResult> before, now;  // without samples
  std::size_t processes_before = 0, processes_now = 0;
  std::vector<Change> changes;  // the worst first
  std::vector<std::string> remarks;
  std::vector<std::string> strict_failures = {};  // why all of it fails by strict rules
  std::string not_judged = {};  // by strict rules: kernels without a figure to judge, also a remark

  std::size_t count(ChangeKind kind) const;
  // Adds a reason why the comparison proves little: it fails by strict rules, and is a remark otherwise.
  void doubt(std::string reason) {
    (rules.is_strict ? strict_failures : remarks).push_back(std::move(reason));
  }
};

std::vector<BenchCase> cases_of(const Comparison& comparison);

// Returns the count of each lesson that changed most, by a factor.
std::map<std::string, std::string> most_changed_counts(const Comparison& comparison);

// Cases of a lesson that only one side has, for one reason.
struct OneSidedCases {
  ChangeKind kind;
  std::string lesson, reason;
  std::vector<std::string> names;  // "shared 4 096"

  // Returns "matmul naive 1 024, tiled 1 024 and 16 more: not run: it needs a GPU".
  std::string text() const;
};
std::vector<OneSidedCases> one_sided_cases(const Comparison& comparison);

// Returns whether the change makes a comparison fail. Missing and inconclusive ones do by strict rules only.
bool is_failure(const Change& change, const ComparisonRules& rules);

// Returns wrong_result when a right result is wrong now, else regression when something regressed or fails by
// strict rules; else ok.
ExitCode exit_code_of(const Comparison& comparison);

// Returns how a change is shown in a log; none if it needs no attention.
std::optional<Annotation::Severity> severity(const Change& change, const ComparisonRules& rules);

// Returns what fails by strict rules alone: "1 missing; the compilers of the kernels differ: ..."; empty if
// nothing does.
std::string strict_failure_text(const Comparison& comparison);

// Adds a remark on what the counts of the simulator do not see.
void remark_uncounted(Comparison& comparison);

// Says that the base was measured later, if it was. By strict rules this fails if something improved, on one
// computer: where jobs run side by side or again, on others, the base may well be measured later.
void doubt_order(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now,
                 Comparison& comparison);

// Throws UsageError if a word of --allow is not written as one, or names no figure that bench can measure.
void require_allowable(const std::vector<std::string>& texts);

// Lets these figures grow. A remark names each that did not. Throws UsageError for an unknown figure.
void allow(const std::vector<std::string>& texts, Comparison& comparison);

// Returns with which words --allow lets pass what regressed, or the variants that were removed, and nothing
// else now, with the shortest for each, or with its variant if that takes fewer; empty if there is none.
std::string advice_on_allowing(const Comparison& comparison, ChangeKind kind);

// Returns the resolution of a figure's clock, in seconds. Smaller differences are noise.
double min_difference_s(const std::string& figure);

// Judges how one figure changed, by the rules. The case and the figure's name are those of `now`.
Change judged(const BenchCase& what, const BenchFigure& before, const BenchFigure& now,
              const ComparisonRules& rules);

// Compares the measurements now with those before. Several documents on a side count as more processes.
// Throws UsageError if nothing can be compared: other GPUs, a GPU and the simulator, nothing in common.
Comparison compared(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now,
                    const ComparisonRules& rules = {});

// Throws UsageError, before anything is measured, where compared() would throw for every result: another
// device, no kernel's case in common, the name of a figure that does not exist.
void require_comparable(const std::vector<BenchResult>& before, const DeviceProperties& device,
                        const std::vector<BenchCase>& cases, const ComparisonRules& rules);

// Comparisons for people and for programs.

enum class Shown { changes, all };  // all: also figures that are the same or not judged

// Returns "2 regressed, 1 improved, 14 same (threshold 3 %, 3 processes before, 3 now)", and a line that says
// so if nothing was compared, because the base was wrong.
std::string comparison_summary(const Comparison& comparison);

// Returns the summary and, if there is a strict_failure_text(), another line "fails by --strict: ...".
std::string comparison_end(const Comparison& comparison);

// Lists the figures, a row for each, the worst first, then remarks, and comparison_end().
std::string comparison_text(const Comparison& comparison, Shown shown, const TextStyle& style);

// Returns the comparison as a table in Markdown, such as for $GITHUB_STEP_SUMMARY.
std::string comparison_markdown(const Comparison& comparison, Shown shown);

// Returns one document, "gpulab.compare", which matches data/gpulab-compare.schema.json.
std::string comparison_json(const Comparison& comparison, const RunFacts& facts);

// Returns a test case for each figure that is judged. Regressions and wrong results have failed. Inconclusive
// figures were skipped or, by strict rules, have failed.
std::string comparison_junit(const Comparison& comparison);

// Returns commands of a GitHub workflow: an error for each change that makes the comparison fail, a warning
// for each other change that is inconclusive or missing, and the summary as a notice.
std::string comparison_github(const Comparison& comparison);

// Returns "38.4 us", "1.21 J" or "20.0 mJ", "33 554 432"; "n/a" for none.
std::string figure_text(FigureUnit unit, std::optional<double> value);
// Formats half of the range as a part of the value: " ± 2.5 %". Empty if there is no range.
std::string half_range_text(const BenchFigure& figure);

// Return "1.052", and "1.041 to 1.062"; empty for none.
std::string ratio_text(const std::optional<double>& ratio);
std::string ratio_text(const std::optional<Interval>& range);

// Returns "regressed", "not judged".
std::string words_of(ChangeKind kind);

// Returns the line that is wrong, or else where the variant's kernel begins, in the folder that was measured;
// without a file if the program's own kernels were measured, or the variant has none.
Annotation annotation_of(const BenchCase& what, const BenchResult& measured);

// Keeps the first of the cases that fail alike, by one compile error or at one line, with their number.
void join_equal_failures(std::vector<Change>& cases, const Comparison& comparison);

// Returns a change in a line: "shared-histogram shared size=1048576 seed=42, cold: 12.0 us -> 12.9 us (1.075,
// 1.062 to 1.088)".
std::string change_line(const Change& change);

}  // namespace gpulab::bench
