#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bench_figures.hpp"

// What every report on a benchmark is made of: cases as their readers want them, in sections.

namespace gpulab::report {

// One case over all processes.
struct ReportedCase : CaseFigures {
  Outcome expected = Outcome::right, observed = Outcome::right;  // the one that is not valid, if any is
  std::vector<std::string> warnings;                             // each once

  // Whether its figures mean anything: it is right, and right by intention.
  bool has_figures() const { return valid && was_run && expected == Outcome::right; }
  // The figure of that name; none without has_figures().
  std::optional<BenchFigure> figure(std::string_view name) const;
  std::optional<BenchFigure> time_s(BenchTime time) const { return figure(name_of(time)); }
  // Of what it is compared by: a launch, cold where that was taken, or a reference.
  std::optional<BenchFigure> kernel_s() const;
  bool has_counts() const;
};

// In the order in which they come first: of several results, all are of one device.
std::vector<ReportedCase> reported_cases(const std::vector<BenchResult>& results);

// The cases of a lesson that differ in nothing but their variant and their size, the references among them.
struct BenchSection {
  std::string lesson;
  std::string options;  // that tell it from other sections of the lesson: "distribution=sorted"; may be empty
  std::string same_options;  // that all sections of the lesson share: "bins=256 seed=42"; may be empty
  std::vector<ReportedCase> cases;

  std::string title() const { return lesson + (options.empty() ? "" : " · " + options); }
  std::vector<std::size_t> sizes() const;  // measured, ascending
  bool is_by_operations() const;           // what its rates are of; bytes otherwise
};

std::vector<BenchSection> bench_sections(const std::vector<ReportedCase>& cases);

// Bytes, or floating-point operations, per second; none where the problem declares none.
std::optional<double> bench_rate(const Traffic& traffic, std::optional<double> seconds);

// What the simulator counted of a case, in the few figures that say what it costs.
struct CountFigure {
  std::string name;   // "sectors"
  std::string title;  // "Sectors of global memory"
  std::string explanation;
  double value = 0;
};
std::vector<CountFigure> count_figures(const ReportedCase& one);
std::string count_text(double value);  // whole numbers in full: "16 384", "17.2"

// All counts whose names end so, added: "sectors" of global loads, stores and atomics. None where there are
// none.
std::optional<double> sum_of_counts(const ReportedCase& one, std::string_view ending);

}  // namespace gpulab::report
