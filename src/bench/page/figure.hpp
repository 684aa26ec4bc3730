#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"

namespace gpulab::bench::page {

// Figures of a report as plain values: what page.js draws, and the table with the same numbers.

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

// Point of a figure; in bars, y is the category, from 0.
struct FigurePoint {
  double x = 0, y = 0;
  std::optional<Interval> range = {};  // range of the measured value: y of a curve, x of a bar
  std::string label = {};              // at the end of a bar, and where somebody points at it
};

enum class Role {
  kernel,
  reference,  // a reference on the CPU
  measured_limit,
  theoretical_limit,
  part,  // a part of a sum
  regressed,
  improved,
  same,
  inconclusive,
};

struct Curve {
  std::string name;
  Role role = Role::kernel;
  std::size_t style = 0;  // the same for the same variant in all figures of a section
  std::vector<FigurePoint> points = {};
};

enum class Shape { curves, scatter, bars, stack, ratios };

struct FigureTable {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;  // the first cell names the row
};

struct Figure {
  std::string id, title;
  std::string sentence;   // a description for those who cannot see it
  std::string note = {};  // below the figure
  Shape shape = Shape::curves;
  Axis x = {}, y = {};
  std::vector<std::string> categories = {};  // names of the bars
  std::vector<Curve> curves = {};
  std::optional<Interval> band = {};  // ratios that count as the same
  FigureTable table = {};
};

// Limits that figures compare with.
struct FigureLimits {
  DeviceProperties device;
  std::vector<Ceiling> ceilings;

  // Returns the fastest of the measured ceilings of memory, or of arithmetic.
  std::optional<Ceiling> measured(bool by_operations) const;
};

// Returns time and rate over size; none for a single size.
std::vector<Figure> size_figures(const BenchSection& section, const FigureLimits& limits,
                                 const std::string& id);

// Returns figures at the largest size: the variants, a run with its copies, and its energy; each none if it
// was not measured.
std::vector<Figure> ladder_figures(const BenchSection& section, const FigureLimits& limits,
                                   const std::string& id);
std::vector<Figure> end_to_end_figures(const BenchSection& section, const FigureLimits& limits,
                                       const std::string& id);
std::vector<Figure> energy_figures(const BenchSection& section, const FigureLimits& limits,
                                   const std::string& id);

// Returns what the simulator counted at the largest size, a figure for each count.
std::vector<Figure> counted_figures(const BenchSection& section, const std::string& id);

// Returns each lesson's variants at its largest size, below what the GPU allows. None without floating-point
// operations.
std::vector<Figure> roofline_figures(const std::vector<BenchSection>& sections, const FigureLimits& limits,
                                     const std::string& id);

// Returns what changed by how much.
std::vector<Figure> comparison_figures(const Comparison& comparison, const std::string& id);

// Returns what page.js reads, as it may stand in a page: no "<" is in it.
std::string figures_json(const std::vector<Figure>& figures);
std::string for_script(std::string json);

// Functions for several kinds of figures.

std::vector<const CaseFigures*> cases_at(const BenchSection& section, std::size_t size);
// Returns the place of a variant among those of its section: its colour and its marker.
std::size_t style_of(const BenchSection& section, const std::string& variant);
Curve curve_for(const BenchSection& section, const CaseFigures& one);
std::string with_range(const BenchFigure& measured, std::string (*text)(double));
std::string rate_with_unit(double per_s, bool by_operations);
std::string size_words(std::size_t size);
std::string energy_words(double joules);
// Returns the largest size at which anything but a reference has figures.
std::optional<std::size_t> largest_size(const BenchSection& section);
// Returns the cases that have a time at that size.
std::vector<const CaseFigures*> timed_at_largest(const BenchSection& section);

}  // namespace gpulab::bench::page
