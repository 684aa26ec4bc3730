#include "base/plot.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/text.hpp"

namespace gpulab {

namespace {

// One axis in character cells. Needs at least one value, all of them drawable.
class Scale {
 public:
  Scale(const PlotAxis& axis, const std::vector<double>& values, unsigned cells)
      : axis_(axis), cells_(cells) {
    low_ = to_scale(std::ranges::min(values));
    high_ = to_scale(std::ranges::max(values));
    if (!axis.logarithmic) low_ = std::min(low_, 0.0);
    if (high_ > low_) return;
    low_ -= 0.5;
    high_ += 0.5;
  }

  int cell_of(double value) const {
    return static_cast<int>(std::lround((to_scale(value) - low_) / (high_ - low_) * (cells_ - 1)));
  }
  double value_at(unsigned cell) const {
    const double scaled = low_ + (high_ - low_) * cell / (cells_ - 1);
    return axis_.logarithmic ? std::pow(10, scaled) : scaled;
  }
  std::string text_at(double value) const {
    return axis_.tick_text ? axis_.tick_text(value) : three_digits(value);
  }

 private:
  double to_scale(double value) const { return axis_.logarithmic ? std::log10(value) : value; }

  PlotAxis axis_;
  unsigned cells_;
  double low_ = 0, high_ = 0;
};

// The characters between the axes. Rows are counted from the bottom.
class Canvas {
 public:
  Canvas(unsigned width, unsigned height) : rows_(height, std::vector<Character>(width)) {}

  // Draws dots between two points, on empty cells only.
  void connect(int x, int y, int to_x, int to_y, Ink ink) {
    const int steps = std::max(std::abs(to_x - x), std::abs(to_y - y));
    for (int step = 1; step < steps; ++step) {
      Character& cell = at(x + (to_x - x) * step / steps, y + (to_y - y) * step / steps);
      if (cell.text == " ") cell = {"·", ink};
    }
  }
  // Draws a marker, or "#" over another series's marker.
  void mark(int x, int y, const std::string& marker, Ink ink) {
    Character& cell = at(x, y);
    const bool is_overlap = cell.is_marker && cell.text != marker;
    cell = is_overlap ? Character{"#", Ink::bold, true} : Character{marker, ink, true};
    has_overlap_ |= is_overlap;
  }
  bool has_overlap() const { return has_overlap_; }

  std::string line(unsigned row, const TextStyle& style) const {
    const auto is_blank = [](const Character& cell) { return cell.text == " "; };
    const auto end = std::find_if_not(rows_[row].rbegin(), rows_[row].rend(), is_blank).base();
    std::string text;
    for (auto cell = rows_[row].begin(); cell != end; ++cell) text += painted(cell->text, cell->ink, style);
    return text;
  }

 private:
  struct Character {
    std::string text = " ";
    Ink ink = Ink::plain;
    bool is_marker = false;
  };

  Character& at(int x, int y) {
    std::vector<Character>& row = rows_[std::clamp<int>(y, 0, static_cast<int>(rows_.size()) - 1)];
    return row[std::clamp<int>(x, 0, static_cast<int>(row.size()) - 1)];
  }

  std::vector<std::vector<Character>> rows_;
  bool has_overlap_ = false;
};

constexpr Ink series_inks[] = {Ink::blue, Ink::red, Ink::green, Ink::yellow, Ink::magenta, Ink::cyan};

bool can_be_drawn(double value, const PlotAxis& axis) {
  return std::isfinite(value) && (!axis.logarithmic || value > 0);
}

std::vector<Series> drawable(std::vector<Series> series, const PlotAxis& x, const PlotAxis& y) {
  for (Series& curve : series) {
    std::erase_if(curve.points, [&](const auto& point) {
      const auto& [at_x, at_y] = point;
      return !can_be_drawn(at_x, x) || !can_be_drawn(at_y, y);
    });
    std::ranges::sort(curve.points);
  }
  std::erase_if(series, [](const Series& curve) { return curve.points.empty(); });
  return series;
}

std::string marker_of(std::size_t index) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return std::string(1, letters[index % letters.size()]);
}

void draw(Canvas& canvas, const std::vector<Series>& series, const Scale& x, const Scale& y) {
  for (const bool are_markers : {false, true}) {  // dots first, markers over them
    for (std::size_t i = 0; i < series.size(); ++i) {
      const Ink ink = series_inks[i % std::size(series_inks)];
      const auto& points = series[i].points;
      for (std::size_t p = 0; p < points.size(); ++p) {
        const int to_x = x.cell_of(points[p].first), to_y = y.cell_of(points[p].second);
        if (are_markers)
          canvas.mark(to_x, to_y, marker_of(i), ink);
        else if (p > 0)
          canvas.connect(x.cell_of(points[p - 1].first), y.cell_of(points[p - 1].second), to_x, to_y, ink);
      }
    }
  }
}

// Draws ticks below the axis at these values, as many as fit with two spaces between them.
std::string x_ticks(const Scale& x, std::vector<double> values, unsigned width) {
  std::ranges::sort(values);
  std::string line(width, ' ');
  std::size_t free_from = 0;
  for (const double value : values) {
    const std::string text = x.text_at(value);
    const auto length = display_width(text);
    const std::size_t middle = static_cast<std::size_t>(x.cell_of(value));
    const std::size_t first =
        std::min(middle - std::min(middle, length / 2), width - std::min<std::size_t>(length, width));
    if (first < free_from || first + length > width) continue;
    line.replace(first, length, text);
    free_from = first + length + 2;
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string legend_of(const std::vector<Series>& series, bool has_overlap, std::size_t indent,
                      const TextStyle& style) {
  std::string text, line;
  std::size_t used = indent;
  const auto add = [&](const std::string& marker, const std::string& name, Ink ink) {
    const std::string shown = cut(name, style.width - indent - 2);
    const std::size_t width = display_width(shown) + 2;
    if (used > indent && used + 3 + width > style.width) {
      text += std::string(indent, ' ') + line + "\n";
      line.clear();
      used = indent;
    }
    if (used > indent) line += "   ";
    used += width + (used > indent ? 3 : 0);
    line += painted(marker, ink, style) + " " + shown;
  };
  for (std::size_t i = 0; i < series.size(); ++i)
    add(marker_of(i), series[i].name, series_inks[i % std::size(series_inks)]);
  if (has_overlap) add("#", "several", Ink::bold);
  return text + std::string(indent, ' ') + line + "\n";
}

}  // namespace

std::string size_tick_text(double size) {
  const auto whole = static_cast<std::uint64_t>(std::llround(size));
  if (whole >= 1024 && (whole & (whole - 1)) == 0) return "2^" + std::to_string(std::lround(std::log2(size)));
  if (whole >= 1'000'000 && whole % 1'000'000 == 0) return std::to_string(whole / 1'000'000) + "M";
  if (whole >= 1000 && whole % 1000 == 0) return std::to_string(whole / 1000) + "k";
  return three_digits(size);
}

std::string plot(const std::vector<Series>& all, const PlotAxis& x_axis, const PlotAxis& y_axis,
                 const TextStyle& style, unsigned height) {
  const std::vector<Series> series = drawable(all, x_axis, y_axis);
  std::vector<double> xs, ys;
  for (const Series& curve : series)
    for (const auto& [x, y] : curve.points) {
      if (std::ranges::find(xs, x) == xs.end()) xs.push_back(x);
      ys.push_back(y);
    }
  if (xs.empty()) return "";
  const unsigned rows = std::max(height, 8u) - 4;  // without y title, x axis, ticks and x title
  const Scale y(y_axis, ys, rows);
  constexpr unsigned rows_per_tick = 4;
  const auto is_tick = [&](unsigned row) {
    return (row % rows_per_tick == 0 && row + 2 < rows) || row == rows - 1;
  };
  std::size_t margin = 0;
  for (unsigned row = 0; row < rows; ++row)
    if (is_tick(row)) margin = std::max(margin, display_width(y.text_at(y.value_at(row))));
  const unsigned width = style.width - static_cast<unsigned>(margin) - 2;
  const Scale x(x_axis, xs, width);
  Canvas canvas(width, rows);
  draw(canvas, series, x, y);

  std::string text = painted(y_axis.title, Ink::faint, style) + "\n";
  for (unsigned row = rows; row-- > 0;) {
    const std::string tick = is_tick(row) ? y.text_at(y.value_at(row)) : "";
    text += std::string(margin - display_width(tick), ' ') + tick + (tick.empty() ? " │" : " ┤") +
            canvas.line(row, style) + "\n";
  }
  text += std::string(margin + 1, ' ') + "└";
  for (unsigned i = 0; i < width; ++i) text += "─";
  const std::string indent(margin + 2, ' ');
  const std::size_t spare = width - std::min<std::size_t>(width, display_width(x_axis.title));
  text += fmt::format("\n{}{}\n", indent, x_ticks(x, xs, width));
  text += indent + std::string(spare / 2, ' ') + painted(x_axis.title, Ink::faint, style) + "\n";
  return text + legend_of(series, canvas.has_overlap(), margin + 2, style);
}

}  // namespace gpulab
