#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"

namespace gpulab::bench::page {

// The figures of a report as plain values: what page.js draws, and the table that says the same.

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

// Of bars, y is the category, from 0.
struct FigurePoint {
  double x = 0, y = 0;
  std::optional<Interval> range = {};  // of what is measured: y of a curve, x of a bar
  std::string label = {};              // at the end of a bar, and where somebody points at it
};

enum class Role {
  kernel,
  reference,  // of a CPU
  measured_limit,
  theoretical_limit,
  part,  // of a sum
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
  std::string sentence;   // what there is to see, for those who do not
  std::string note = {};  // below the figure
  Shape shape = Shape::curves;
  Axis x = {}, y = {};
  std::vector<std::string> categories = {};  // of bars
  std::vector<Curve> curves = {};
  std::optional<Interval> band = {};  // of ratios that count as the same
  FigureTable table = {};
};

// What figures compare with.
struct FigureLimits {
  DeviceProperties device;
  std::vector<Ceiling> ceilings;

  // The fastest of what was measured of memory, or of arithmetic.
  std::optional<Ceiling> measured(bool by_operations) const;
};

// Time and rate over size; none for a single size.
std::vector<Figure> size_figures(const BenchSection& section, const FigureLimits& limits,
                                 const std::string& id);

// At the largest size: the variants, what a run takes with its copies, and its energy; each none where it was
// not measured.
std::vector<Figure> ladder_figures(const BenchSection& section, const FigureLimits& limits,
                                   const std::string& id);
std::vector<Figure> end_to_end_figures(const BenchSection& section, const FigureLimits& limits,
                                       const std::string& id);
std::vector<Figure> energy_figures(const BenchSection& section, const FigureLimits& limits,
                                   const std::string& id);

// At the largest size: what the simulator counted, a figure for each count.
std::vector<Figure> counted_figures(const BenchSection& section, const std::string& id);

// Each lesson's variants at its largest size, below what the GPU allows. None without floating-point
// operations.
std::vector<Figure> roofline_figures(const std::vector<BenchSection>& sections, const FigureLimits& limits,
                                     const std::string& id);

// What changed by how much.
std::vector<Figure> comparison_figures(const Comparison& comparison, const std::string& id);

// What page.js reads, as it may stand in a page: no "<" is in it.
std::string figures_json(const std::vector<Figure>& figures);
std::string for_script(std::string json);

// Used by several kinds of figures.

std::vector<const CaseFigures*> cases_at(const BenchSection& section, std::size_t size);
// The place of each variant among those of its section: its colour and its marker.
std::size_t style_of(const BenchSection& section, const std::string& variant);
Curve curve_for(const BenchSection& section, const CaseFigures& one);
std::string with_range(const BenchFigure& measured, std::string (*text)(double));
std::string rate_with_unit(double per_s, bool by_operations);
std::string size_words(std::size_t size);
std::string energy_words(double joules);
// At which anything but a reference has figures.
std::optional<std::size_t> largest_size(const BenchSection& section);
// What has a time at that size.
std::vector<const CaseFigures*> timed_at_largest(const BenchSection& section);

}  // namespace gpulab::bench::page
