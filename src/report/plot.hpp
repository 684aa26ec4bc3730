#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/layout.hpp"

// Curves drawn with characters, for a terminal.

namespace gpulab::report {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x and y; those that are not finite are left out
};

struct PlotAxis {
  std::string title;                                 // with its unit: "GB/s"
  bool logarithmic = true;                           // leaves out what is not above zero
  std::string (*tick_text)(double value) = nullptr;  // left out: three digits
};

// A letter for each series where its points are, dots between them, a "#" where several meet, axes and a
// legend. It is at most as wide as the style, and so many lines high without the legend. Without a point it
// is empty.
std::string plot(const std::vector<Series>& series, const PlotAxis& x, const PlotAxis& y,
                 const TextStyle& style, unsigned height = 18);

// "2^20" for a power of two from 1024 on, "1M" for 1e6, "33 554" otherwise.
std::string size_tick_text(double size);

}  // namespace gpulab::report
