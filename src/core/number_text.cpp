#include "core/number_text.hpp"

#include <array>
#include <charconv>

namespace gpulab {

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ' ';
    text += digits[i];
  }
  return text;
}

std::string with_decimals(double number, int decimals) {
  std::array<char, 400> buffer;  // the largest double has 309 digits before the point
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, decimals);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::to_string(number);
}

}  // namespace gpulab
