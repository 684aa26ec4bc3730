#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/table.hpp"

namespace gpulab {

// Curves drawn with characters, for a terminal.

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

// One axis of a plot, on so many characters.
class PlotScale {
 public:
  // Of values that can be drawn, one at least.
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

// The characters between the axes. Rows count from below.
class PlotCanvas {
 public:
  PlotCanvas(unsigned width, unsigned height);

  // Dots between two places, where nothing else is.
  void connect(int x, int y, int to_x, int to_y, Ink ink);
  // A marker, or a "#" where another series has its own.
  void mark(int x, int y, const std::string& marker, Ink ink);
  bool has_meeting() const { return has_meeting_; }

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
  bool has_meeting_ = false;
};

}  // namespace gpulab
