#include "validate/printed_numbers.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/text.hpp"

namespace gpulab::validate {
namespace {

bool is_right(const std::string& text, const PrintedNumber& expected) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return false;
  return std::abs(value - expected.value) <= expected.tolerance * std::abs(expected.value);
}

// What stands behind the name, in each line that begins with it, without blanks.
std::vector<std::string> printed_behind(const std::string& name, const std::vector<std::string>& lines) {
  constexpr const char* blanks = " \t\r";
  std::vector<std::string> all;
  for (const std::string& line : lines) {
    if (!line.starts_with(name) || line.size() == name.size() || line[name.size()] != ' ') continue;
    const std::size_t begin = line.find_first_not_of(blanks, name.size());
    all.push_back(begin == std::string::npos ? ""
                                             : line.substr(begin, line.find_last_not_of(blanks) - begin + 1));
  }
  return all;
}

}  // namespace

std::optional<PrintedDifference> first_difference(const std::string& output, const PrintedNumbers& expected) {
  const std::vector<std::string> lines = lines_of(output);
  for (const PrintedNumber& number : expected) {
    const std::vector<std::string> printed = printed_behind(number.name, lines);
    if (printed.empty()) return PrintedDifference{number.name, number.value};
    for (const std::string& text : printed)
      if (!is_right(text, number))
        return PrintedDifference{number.name, number.value, text.empty() ? "nothing" : text};
  }
  return std::nullopt;
}

const TypicalOutput* typical_output(const std::string& output, const ProgramTask& task, std::size_t size) {
  for (const TypicalOutput& error : task.errors)
    if (!first_difference(output, error.prints(size))) return &error;
  return nullptr;
}

std::optional<double> printed_number(const std::string& name, const std::string& output) {
  const std::vector<std::string> printed = printed_behind(name, lines_of(output));
  if (printed.empty()) return std::nullopt;
  return std::strtod(printed.front().c_str(), nullptr);
}

std::string number_text(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

}  // namespace gpulab::validate
