#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"

namespace gpulab::bench::page {

// Charts of a report as plain values: what page.js draws, and the table with the same numbers.

enum class Unit {
  seconds,
  gigabytes_per_s,
  gigaflops,
  teraflops,
  operations_per_byte,
  joules,
  count,
  ratio,
  work_items
};

struct Axis {
  std::string title;
  Unit unit = Unit::count;
  bool logarithmic = false;
};

// Point of a chart. In bars, x is the length, and y the index of the category.
struct ChartPoint {
  double x = 0, y = 0;
  std::optional<Interval> range = {};  // range of the measured value: y of a curve, x of a bar
  std::string label = {};              // at the end of a bar, and in the tooltip
};

enum class Role {
  kernel,
  kernel_before,
  reference,  // a reference on the CPU
  measured_limit,
  theoretical_limit,
  part,    // a part of a sum
  before,  // of a comparison; the roles below are verdicts on the value now
  regressed,
  improved,
  same,
  inconclusive,
};

struct Curve {
  std::string name;
  Role role = Role::kernel;
  std::size_t style = 0;  // index of colour and marker: a variant has the same in all charts of a section
  std::vector<ChartPoint> points = {};
};

enum class Shape { curves, scatter, bars, stack, pairs };

struct ChartTable {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;  // the first cell names the row
};

struct Chart {
  std::string id, title;
  std::string sentence;   // a description for readers who cannot see the chart
  std::string note = {};  // below the chart
  Shape shape = Shape::curves;
  Axis x = {}, y = {};
  std::vector<std::string> categories = {};  // names of the bars
  std::vector<Curve> curves = {};
  std::optional<Interval> band = {};  // ratios that count as the same
  ChartTable table = {};
};

// Limits that charts compare with.
struct ChartLimits {
  DeviceProperties device;
  std::vector<Ceiling> ceilings;

  // Returns the fastest of the measured ceilings of memory, or of arithmetic.
  std::optional<Ceiling> highest_ceiling(bool by_operations) const;
};

// Returns charts of time and rate over size; none for a single size.
std::vector<Chart> size_charts(const BenchSection& section, const ChartLimits& limits, const std::string& id);

// Return charts at the largest size: the rates or times of the variants, the times with copies, and the
// energy. Each returns none if these were not measured.
std::vector<Chart> variant_charts(const BenchSection& section, const ChartLimits& limits,
                                  const std::string& id);
std::vector<Chart> end_to_end_charts(const BenchSection& section, const ChartLimits& limits,
                                     const std::string& id);
std::vector<Chart> energy_charts(const BenchSection& section, const ChartLimits& limits,
                                 const std::string& id);

// Returns a chart for each count of the simulator: over the sizes, or as bars for a single size.
std::vector<Chart> counted_charts(const BenchSection& section, const std::string& id);

// Returns a roofline chart of the variants at each lesson's largest size; none if no problem has operations.
std::vector<Chart> roofline_charts(const std::vector<BenchSection>& sections, const ChartLimits& limits,
                                   const std::string& id);

// Returns a chart with two bars for each figure, before and now, beside each other.
std::vector<Chart> comparison_charts(const Comparison& comparison, const std::string& id);

// Returns a table of the changes that the chart cannot show, such as results that are wrong now; without
// whole cases that only one side has.
ChartTable undrawn_changes(const Comparison& comparison);

// Returns what page.js reads, as JSON that can be embedded in a page.
std::string charts_json(const std::vector<Chart>& charts);
// Returns JSON without "<", so that it can be embedded in a page.
std::string for_script(std::string json);

// Functions for several kinds of charts.

// Returns the cases of that size that have figures.
std::vector<const CaseFigures*> cases_at(const BenchSection& section, std::size_t size);
// Returns a curve without points, with the name and the style of the case's variant.
Curve curve_for(const BenchSection& section, const CaseFigures& measured);
std::string with_range(const BenchFigure& measured, std::string (*text)(double));
std::string rate_with_unit(double per_s, bool by_operations);
std::string size_words(std::size_t size);  // "2²⁰", or "1 000" if it is no power of two
// Returns the largest size at which anything but a reference has figures.
std::optional<std::size_t> largest_size(const BenchSection& section);
// Return the cases that have a time: those at the largest size, and those at all sizes, the largest first.
std::vector<const CaseFigures*> timed_at_largest(const BenchSection& section);
std::vector<const CaseFigures*> timed_at_all_sizes(const BenchSection& section);

}  // namespace gpulab::bench::page
