#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bench_figures.hpp"
#include "core/bench_result.hpp"

namespace gpulab {

// How what was measured now differs from what was measured before: the worst first.
enum class ChangeKind {
  invalid,       // a result is wrong, so that its figures mean nothing
  regressed,     // needs more: time, energy or accesses
  inconclusive,  // what was measured does not tell
  missing,
  incomparable,  // was not measured alike
  improved,
  is_new,
  same,
  not_judged,  // for information: the CPU's references, copies, requests and lanes
};
constexpr ChangeKind all_change_kinds[] = {
    ChangeKind::invalid, ChangeKind::regressed,    ChangeKind::inconclusive,
    ChangeKind::missing, ChangeKind::incomparable, ChangeKind::improved,
    ChangeKind::is_new,  ChangeKind::same,         ChangeKind::not_judged};
std::string_view name_of(ChangeKind kind);  // "regressed", "new", "not_judged"

// One figure of one case, before and now.
struct Change {
  BenchCase what;
  std::string figure;  // "cold", "steady", "energy", "global_load_sectors"; empty for a case as a whole
  FigureUnit unit = FigureUnit::seconds;
  ChangeKind kind = ChangeKind::same;
  std::optional<double> before, now;    // medians over processes of their medians
  std::optional<double> ratio;          // now / before
  std::optional<Interval> ratio_range;  // in which it lies; none for counts, which are exact
  std::string reason;                   // in words, where the kind alone does not say
};

struct ComparisonRules {
  double threshold = 0.03;                      // of times, as a part of them; energy has a multiple of it
  std::optional<double> min_difference_s = {};  // none: what its clock resolves
  bool is_strict = false;                       // what cannot be judged fails, too
};

struct Comparison {
  ComparisonRules rules;
  std::vector<BenchResult> before, now;  // without samples
  std::size_t processes_before = 0, processes_now = 0;
  std::vector<Change> changes;  // the worst first
  std::vector<std::string> remarks;

  std::size_t count(ChangeKind kind) const;
};

// Whether a change of this kind makes a comparison fail: by strict rules also what is missing or
// inconclusive.
bool is_failure(ChangeKind kind, const ComparisonRules& rules);

// 5 when something regressed, otherwise 1 when a result that was right is wrong now. By strict rules 5 also
// when something is missing or inconclusive, or a document incomplete. 0 otherwise.
ExitCode exit_code_of(const Comparison& comparison);

}  // namespace gpulab
