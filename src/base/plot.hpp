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

// Maps one axis of a plot to character cells.
class PlotScale {
 public:
  // Needs at least one value, all of them drawable.
  PlotScale(const PlotAxis& axis, const std::vector<double>& values, unsigned cells);

  int cell_of(double value) const;
  double value_at(unsigned cell) const;
  std::string text_at(double value) const;

 private:
  double to_scale(double value) const;

  PlotAxis axis_;
  unsigned cells_;
  double low_ = 0, high_ = 0;
};

// The characters between the axes. Rows are counted from the bottom.
class PlotCanvas {
 public:
  PlotCanvas(unsigned width, unsigned height);

  // Draws dots between two points, on empty cells only.
  void connect(int x, int y, int to_x, int to_y, Ink ink);
  // Draws a marker, or "#" over another series's marker.
  void mark(int x, int y, const std::string& marker, Ink ink);
  bool has_overlap() const { return has_overlap_; }

  std::string line(unsigned row, const TextStyle& style) const;

 private:
  struct Cell {
    std::string text = " ";
    Ink ink = Ink::plain;
    bool is_marker = false;
  };

  Cell& at(int x, int y);

  unsigned width_;
  std::vector<std::vector<Cell>> rows_;
  bool has_overlap_ = false;
};

}  // namespace gpulab
