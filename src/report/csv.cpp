#include "report/csv.hpp"

#include <fmt/format.h>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace gpulab::report {
namespace {

// What a spreadsheet would compute: a folder of a learner's may have such a name.
bool is_formula(const std::string& text) {
  if (text.empty() || std::string_view("=+-@").find(text.front()) == std::string_view::npos) return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return text.size() > 1 && *end != '\0';
}

std::string csv_field(const std::string& text) {
  if (is_formula(text)) return csv_field("'" + text);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char letter : text) result += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return result + '"';
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += (&field == &fields.front() ? "" : ",") + csv_field(field);
  return line + "\n";
}

std::string csv_number(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

}  // namespace gpulab::report
