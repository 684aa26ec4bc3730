#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bench_result.hpp"

// What every report on a benchmark is made of: the rows of all processes that measured one case, as one.

namespace gpulab::report {

// Over processes.
struct Measured {
  double median = 0;              // of the processes' medians
  std::optional<Interval> range;  // of their medians; of one process its 95 % interval
  std::size_t processes = 0;
};

struct MeasuredCase {
  BenchCase what;
  BenchKind kind = BenchKind::kernel;
  Outcome expected = Outcome::right, observed = Outcome::right;
  bool valid = true;  // in every process
  std::string explanation;
  Traffic traffic;
  std::map<BenchTime, Measured> times_s;
  std::optional<Measured> joules;
  std::map<std::string, std::uint64_t> counts;
  std::vector<std::string> warnings;  // each once

  // Whether its figures mean anything: it is right, and right by intention.
  bool has_figures() const { return valid && expected == Outcome::right; }
  // Of what it is compared by: a launch, cold where that was taken, or a reference. Only with figures.
  std::optional<Measured> kernel_s() const;
  std::optional<Measured> time_s(BenchTime time) const;
};

// In the order in which they come first.
std::vector<MeasuredCase> measured_cases(const std::vector<BenchRow>& rows);

// The cases of a lesson that differ in nothing but their variant and their size, the references among them.
struct BenchSection {
  std::string lesson;
  std::string options;       // that tell it from other sections of the lesson: "distribution=sorted"; may be empty
  std::string same_options;  // that all sections of the lesson share: "bins=256 seed=42"; may be empty
  std::vector<MeasuredCase> cases;

  std::string title() const { return lesson + (options.empty() ? "" : " · " + options); }
  std::vector<std::size_t> sizes() const;  // measured, ascending
  bool is_by_operations() const;           // what its rates are of; bytes otherwise
};

std::vector<BenchSection> bench_sections(const std::vector<MeasuredCase>& cases);

// Bytes, or floating-point operations, per second; none where the problem declares none.
std::optional<double> bench_rate(const Traffic& traffic, std::optional<double> seconds);

// All counts of a case whose names end so, added: "sectors" of global loads, stores and atomics. None where there
// are none.
std::optional<double> sum_of_counts(const MeasuredCase& one, std::string_view ending);

// What the counts of a case come to in the end, as far as it has them; "per ..." is a mean.
struct CountFigure {
  std::string name;  // "sectors"
  std::string explanation;
  double value = 0;
};
std::vector<CountFigure> count_figures(const MeasuredCase& one);

}  // namespace gpulab::report
