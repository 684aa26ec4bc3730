#include "cli/validators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace gpulab {
namespace {

// The message is what is wrong with a text that does not fit.
CLI::Validator validator(std::function<bool(const std::string&)> fits, const std::string& wanted) {
  return CLI::Validator(
      [fits = std::move(fits), wanted](const std::string& text) {
        return fits(text) ? std::string{} : fmt::format("'{}' is not {}", text, wanted);
      },
      "");
}

bool is_number(const std::string& text, const std::function<bool(double)>& fits) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(number) && fits(number);
}

}  // namespace

CLI::Validator one_of(const std::vector<std::string>& choices) {
  return validator(
      [choices](const std::string& text) { return std::ranges::find(choices, text) != choices.end(); },
      fmt::format("one of {}", fmt::join(choices, ", ")));
}

CLI::Validator a_whole_number() {
  // 19 digits always fit in 64 bits.
  return validator(
      [](const std::string& text) {
        return !text.empty() && text.size() <= 19 &&
               text.find_first_not_of("0123456789") == std::string::npos;
      },
      "a whole number from 0 to 10^19 - 1");
}

CLI::Validator a_number() {
  return validator([](const std::string& text) { return is_number(text, [](double) { return true; }); },
                   "a number");
}

CLI::Validator a_number_from_zero() {
  return validator(
      [](const std::string& text) { return is_number(text, [](double number) { return number >= 0; }); },
      "a number that is 0 or more");
}

CLI::Validator a_number_above_zero() {
  return validator(
      [](const std::string& text) { return is_number(text, [](double number) { return number > 0; }); },
      "a number above 0");
}

}  // namespace gpulab
