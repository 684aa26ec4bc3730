#pragma once

#include <string>
#include <vector>

#include "report/plot.hpp"

namespace gpulab::report {

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

}  // namespace gpulab::report
