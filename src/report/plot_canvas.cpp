#include "report/plot_canvas.hpp"

#include <algorithm>
#include <cmath>

#include "report/quantity_text.hpp"

namespace gpulab::report {

PlotScale::PlotScale(const PlotAxis& axis, const std::vector<double>& values, unsigned cells)
    : axis_(axis), cells_(cells) {
  low_ = to_scale(std::ranges::min(values));
  high_ = to_scale(std::ranges::max(values));
  if (!axis.logarithmic) low_ = std::min(low_, 0.0);
  if (high_ > low_) return;
  low_ -= 0.5;
  high_ += 0.5;
}

int PlotScale::cell_of(double value) const {
  return static_cast<int>(std::lround((to_scale(value) - low_) / (high_ - low_) * (cells_ - 1)));
}

double PlotScale::value_at(unsigned cell) const {
  const double place = low_ + (high_ - low_) * cell / (cells_ - 1);
  return axis_.logarithmic ? std::pow(10, place) : place;
}

std::string PlotScale::text_at(double value) const {
  return axis_.tick_text ? axis_.tick_text(value) : three_digits(value);
}

double PlotScale::to_scale(double value) const {
  return axis_.logarithmic ? std::log10(value) : value;
}

PlotCanvas::PlotCanvas(unsigned width, unsigned height)
    : width_(width), rows_(height, std::vector<Cell>(width)) {}

void PlotCanvas::connect(int x, int y, int to_x, int to_y, Ink ink) {
  const int steps = std::max(std::abs(to_x - x), std::abs(to_y - y));
  for (int step = 1; step < steps; ++step) {
    Cell& cell = at(x + (to_x - x) * step / steps, y + (to_y - y) * step / steps);
    if (cell.text == " ") cell = {"·", ink};
  }
}

void PlotCanvas::mark(int x, int y, const std::string& marker, Ink ink) {
  Cell& cell = at(x, y);
  const bool is_other = cell.is_marker && cell.text != marker;
  cell = is_other ? Cell{"#", Ink::bold, true} : Cell{marker, ink, true};
  has_meeting_ |= is_other;
}

std::string PlotCanvas::line(unsigned row, const TextStyle& style) const {
  const std::vector<Cell>& cells = rows_[row];
  const auto blank = [](const Cell& cell) { return cell.text == " "; };
  const auto end = std::find_if_not(cells.rbegin(), cells.rend(), blank).base();
  std::string text;
  for (auto cell = cells.begin(); cell != end; ++cell) text += painted(cell->text, cell->ink, style);
  return text;
}

PlotCanvas::Cell& PlotCanvas::at(int x, int y) {
  return rows_[std::clamp<int>(y, 0, static_cast<int>(rows_.size()) - 1)]
              [std::clamp<int>(x, 0, static_cast<int>(width_) - 1)];
}

}  // namespace gpulab::report
