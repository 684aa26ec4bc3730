#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/bench_result.hpp"

// What was measured of each case, over all processes: what comparisons, tables and other tools' formats begin
// with.

namespace gpulab {

enum class FigureUnit { seconds, joules, count };
std::string_view name_of(FigureUnit unit);  // "s", "J", "count"

struct BenchFigure {
  std::string name;  // "cold", "steady", "energy", "global_load_sectors"
  FigureUnit unit = FigureUnit::seconds;
  double value = 0;  // the median over the processes of each one's median; of a count, of each one's count
  // Between which it lies. Of two to five processes from the smallest median to the largest; from six on the
  // 95 % interval of the median over them; of one process the 95 % interval of its samples, which none has
  // with less than six of them. Of counts, which are exact, none unless processes counted differently.
  std::optional<Interval> range;
  std::size_t processes = 0;
  std::size_t samples = 0;  // of all processes; 1 for each that counted or measured energy
  // Of the multiprocessors while it was measured: the medians of the first and the last third of the samples
  // of each process. Empty where nobody tells.
  std::vector<double> clocks_hz;
};

struct CaseFigures {
  BenchCase what;
  BenchKind kind = BenchKind::kernel;
  bool was_run = false;     // in some process
  bool valid = true;        // in every process
  std::string explanation;  // what is wrong, or why it was not run; empty where it is valid
  Traffic traffic;
  std::vector<BenchFigure> figures;  // times, energy, counts; those of results that are wrong, too
};

// Whether less of it is better, and a kernel's own doing. The machine's CPU, its bus and its driver's
// launches are not; nor are requests and lanes, because what they cost is counted in sectors, wavefronts and
// atomics at one address, nor how often the simulator goes from one thread to another, which is a cost of its
// own and may differ by one.
bool is_cost(BenchKind kind, const std::string& figure);

// The cases of several documents, of which each has processes of its own: by lesson, then by size, then in
// the order in which they come first.
std::vector<CaseFigures> case_figures(const std::vector<BenchResult>& results);

}  // namespace gpulab
