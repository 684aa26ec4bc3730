#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"

namespace gpulab {

// A curve drawn with characters on a terminal.

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x and y; non-finite ones are skipped
};

struct PlotAxis {
  std::string title;                                 // including the unit: "GB/s"
  bool logarithmic = true;                           // values that are not positive are skipped
  std::string (*tick_text)(double value) = nullptr;  // by default three digits
};

// Draws a letter for each point of a series, dots between them, "#" where several meet, axes and a legend.
// The plot is no wider than the style, and `height` lines high without the legend. Returns "" without points.
std::string plot(const std::vector<Series>& series, const PlotAxis& x, const PlotAxis& y,
                 const TextStyle& style, unsigned height = 18);

// Returns "2^20" for a power of two from 1024 on, "1M" for 1e6, "33 554" otherwise.
std::string size_tick_text(double size);

}  // namespace gpulab
