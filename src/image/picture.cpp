#include "image/picture.hpp"

#include <algorithm>
#include <cmath>

namespace gpulab {
namespace {

struct Range {
  std::size_t begin, end;
};

// The pixels of [0, size) that lie within the reach of the middle.
Range covered(double middle, double reach, std::size_t size) {
  const auto inside = [&](double place) {
    return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(size)));
  };
  return {inside(std::floor(middle - reach)), inside(std::ceil(middle + reach) + 1)};
}

}  // namespace

void draw_circle(Picture& picture, double x, double y, double radius, Colour colour) {
  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(radius)) return;
  const Range columns = covered(x, radius + 1, picture.width());
  const Range rows = covered(y, radius + 1, picture.height());
  for (std::size_t row = rows.begin; row < rows.end; ++row)
    for (std::size_t column = columns.begin; column < columns.end; ++column) {
      const double distance = std::hypot(static_cast<double>(column) - x, static_cast<double>(row) - y);
      if (std::abs(distance - radius) <= 0.5) picture.at(column, row) = colour;
    }
}

}  // namespace gpulab
