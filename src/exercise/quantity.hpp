#pragma once

#include <optional>
#include <string>

namespace gpulab {

enum class Dimension { number, time, bytes, rate };

struct Unit {
  const char* name;
  Dimension dimension;
  double in_si;  // one of it, in seconds, bytes, bytes per second, or as a plain number
};

constexpr Unit plain_number{"", Dimension::number, 1};

// "ms", "us", "%", "x", "GB/s", "sectors" ... Null for a word that is no unit.
const Unit* unit_called(const std::string& name);

struct Quantity {
  double value = 0;   // in SI units
  double number = 0;  // as it was written, before its unit
  Dimension dimension = Dimension::number;
};

// Whether the number would be about that value, in SI units, in any unit of that dimension.
bool is_in_some_unit(double number, Dimension dimension, double value);

// "12.5 ms", "25%", "1 000", "3e6 B"; a number alone has the unit that is given. None for anything else.
std::optional<Quantity> quantity(const std::string& text, const Unit& unit_of_bare_numbers);

}  // namespace gpulab
