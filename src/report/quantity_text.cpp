#include "report/quantity_text.hpp"

#include <fmt/format.h>
#include <cmath>
#include <span>

#include "core/text.hpp"

namespace gpulab::report {
namespace {

struct Unit {
  double size;
  const char* name;
};

// In the largest unit that leaves a value of at least 1 after rounding; the units are given largest first.
std::string in_units(double value, std::span<const Unit> units) {
  if (!std::isfinite(value)) return not_available;
  for (const Unit& unit : units)
    if (value / unit.size >= 0.9995) return three_digits(value / unit.size) + " " + unit.name;
  return three_digits(value / units.back().size) + " " + units.back().name;
}

}  // namespace

std::string three_digits(double value) {
  if (!std::isfinite(value)) return not_available;
  if (value >= 999.5) return grouped(static_cast<std::uint64_t>(std::llround(value)));
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  if (value >= 0.9995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

std::string duration_text(double seconds) {
  static constexpr Unit units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  return in_units(seconds, units);
}

std::string bytes_text(double bytes) {
  static constexpr Unit units[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
  if (bytes < 999.5) return fmt::format("{:.0f} bytes", bytes);
  return in_units(bytes, units);
}

std::string capacity_text(double bytes) {
  static constexpr Unit units[] = {{0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}};
  return in_units(bytes, units);
}

std::string percent_text(double fraction) {
  const double percent = 100 * fraction;
  if (!std::isfinite(percent)) return not_available;
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

std::string factor_text(double factor) {
  if (!std::isfinite(factor)) return not_available;
  if (factor >= 999.5) return three_digits(factor) + "x";
  if (factor > 0 && factor < 0.001) return "<0.001x";
  if (factor < 0.995) return fmt::format("{:.2g}x", factor);
  return fmt::format("{:.{}f}x", factor, factor < 9.95 ? 1 : 0);
}

std::string figure_text(double value) {
  const bool whole = std::isfinite(value) && value == std::floor(value) && std::abs(value) < 1e15;
  if (whole && value >= 0) return grouped(static_cast<std::size_t>(value));
  return three_digits(value);
}

std::string element_text(double value) {
  // A zero with a sign is as right as one without.
  return std::isnan(value) ? "NaN" : fmt::format("{:.9g}", value == 0 ? 0 : value);
}

}  // namespace gpulab::report
