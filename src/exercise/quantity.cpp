#include "exercise/quantity.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <regex>

namespace gpulab {
namespace {

constexpr Unit units[] = {
    {"", Dimension::number, 1},         {"x", Dimension::number, 1},        {"times", Dimension::number, 1},
    {"%", Dimension::number, 0.01},     {"sectors", Dimension::number, 1},  {"sector", Dimension::number, 1},
    {"s", Dimension::time, 1},          {"ms", Dimension::time, 1e-3},      {"us", Dimension::time, 1e-6},
    {"\u00b5s", Dimension::time, 1e-6}, {"\u03bcs", Dimension::time, 1e-6}, {"ns", Dimension::time, 1e-9},
    {"B", Dimension::bytes, 1},         {"bytes", Dimension::bytes, 1},     {"byte", Dimension::bytes, 1},
    {"kB", Dimension::bytes, 1e3},      {"KB", Dimension::bytes, 1e3},      {"MB", Dimension::bytes, 1e6},
    {"GB", Dimension::bytes, 1e9},      {"KiB", Dimension::bytes, 0x1p10},  {"MiB", Dimension::bytes, 0x1p20},
    {"GiB", Dimension::bytes, 0x1p30},  {"MB/s", Dimension::rate, 1e6},     {"GB/s", Dimension::rate, 1e9},
};

}  // namespace

const Unit* unit_called(const std::string& name) {
  const auto found = std::ranges::find_if(units, [&](const Unit& unit) { return unit.name == name; });
  return found == std::end(units) ? nullptr : &*found;
}

bool is_in_some_unit(double number, Dimension dimension, double value) {
  constexpr double about = 1e-9;
  return std::ranges::any_of(units, [&](const Unit& unit) {
    return unit.dimension == dimension && std::abs(number * unit.in_si - value) <= about * std::abs(value);
  });
}

std::optional<Quantity> quantity(const std::string& text, const Unit& unit_of_bare_numbers) {
  constexpr std::size_t longest = 60;
  static const std::regex form(
      R"(\s*((?:[0-9]{1,3}(?: [0-9]{3})+|[0-9]+)?(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*([^0-9\s.]\S*)?\s*)");
  std::smatch match;
  if (text.size() > longest || !std::regex_match(text, match, form)) return std::nullopt;
  std::string digits = match[1];
  std::erase(digits, ' ');
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  const Unit* unit = match[2].matched ? unit_called(match[2]) : &unit_of_bare_numbers;
  if (!unit) return std::nullopt;
  return Quantity{number * unit->in_si, number, unit->dimension};
}

}  // namespace gpulab
