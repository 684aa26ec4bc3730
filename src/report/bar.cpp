#include "report/bar.hpp"

#include <algorithm>
#include <cmath>

namespace gpulab::report {

std::string bar_text(double fraction, std::size_t columns) {
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double wanted = std::clamp(fraction, 0.0, 1.0) * 8 * static_cast<double>(columns);
  const auto eighths = static_cast<std::size_t>(std::max(std::lround(wanted), 1L));
  std::string bar;
  for (std::size_t whole = 0; whole < eighths / 8; ++whole) bar += "█";
  return bar + parts[eighths % 8];
}

}  // namespace gpulab::report
