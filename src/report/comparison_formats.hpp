#pragma once

#include <string>

#include "core/comparison.hpp"
#include "core/run_facts.hpp"
#include "report/layout.hpp"

// A comparison of what bench measured, for people and for programs.

namespace gpulab::report {

enum class Shown { changes, all };  // all: also what is the same, and what is not judged

// "2 regressed, 1 improved, 14 same (threshold 3 %, 3 processes before, 3 now)"
std::string comparison_summary(const Comparison& comparison);

// A row for each figure, the worst first, remarks, and the summary as the last line.
std::string comparison_text(const Comparison& comparison, Shown shown, const TextStyle& style);

// The same as a table in Markdown, such as for $GITHUB_STEP_SUMMARY.
std::string comparison_markdown(const Comparison& comparison, Shown shown);

// One document, "gpulab.compare", which matches data/gpulab-compare.schema.json.
std::string comparison_json(const Comparison& comparison, const RunFacts& facts);

// A test case for each figure: what regressed or is wrong has failed, what cannot be told was skipped, or has
// failed by strict rules.
std::string comparison_junit(const Comparison& comparison);

// Commands of a GitHub workflow: an error for what makes the comparison fail, a warning for what else cannot
// be told or is missing, and the summary as a notice.
std::string comparison_github(const Comparison& comparison);

// "38.4 us", "1.21 J", "33 554 432"; "n/a" for what there is none of.
std::string figure_text(FigureUnit unit, std::optional<double> value);

// "1.052", and "1.041 to 1.062"; empty for none.
std::string ratio_text(const std::optional<double>& ratio);
std::string ratio_text(const std::optional<Interval>& range);

// "regressed", "not judged"
std::string words_of(ChangeKind kind);

// A change in a line: "shared-histogram shared size=1048576 seed=42, cold: 12.0 us -> 12.9 us (1.075, 1.062
// to 1.088)"
std::string change_line(const Change& change);

}  // namespace gpulab::report
