#include "base/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <sstream>
#include <vector>

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

bool is_listed_before(const std::string& name, const std::string& other) {
  const auto in_small_letters = [](std::string text) {
    for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
  };
  const int order = ::strverscmp(in_small_letters(name).c_str(), in_small_letters(other).c_str());
  return order != 0 ? order < 0 : name < other;
}

std::string clock_text(double hz) {
  return grouped(static_cast<std::size_t>(hz * 1e-6 + 0.5)) + " MHz";
}

std::string with_decimals(double number, int decimals) {
  std::array<char, 400> buffer;  // the largest double has 309 digits before the point
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, decimals);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::to_string(number);
}

namespace {

// Returns the optimal string alignment distance.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool is_same = a[i - 1] == b[j - 1];
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (is_same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(const std::string& name, std::span<const std::string> candidates) {
  std::string nearest;
  // A third of the letters may differ.
  const std::size_t max_edits = std::max<std::size_t>(name.size() / 3, 1);
  std::size_t fewest_edits = max_edits + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t edits = distance(name, candidate);
    if (edits < fewest_edits) {
      fewest_edits = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggestion(const std::string& name, std::span<const std::string> candidates,
                       const std::string& otherwise) {
  constexpr std::size_t min_letters = 3;  // of the beginning of a word in a candidate, such as "hist"
  std::string nearest = nearest_name(name, candidates);
  const bool may_be_beginning = nearest.empty() && name.size() >= min_letters;
  for (std::size_t i = 0; may_be_beginning && nearest.empty() && i < candidates.size(); ++i)
    if (("-" + candidates[i]).find("-" + name) != std::string::npos) nearest = candidates[i];
  return nearest.empty() ? otherwise : fmt::format("did you mean '{}'?", nearest);
}

std::string flowing_text(std::string_view file) {
  std::string text;
  std::istringstream lines{std::string(file)};
  bool in_paragraph = false;  // whether the previous line is of the same paragraph
  for (std::string line; std::getline(lines, line);) {
    const bool is_prose = !line.empty() && line.front() != ' ';
    if (!text.empty()) text += is_prose && in_paragraph ? ' ' : '\n';
    text += line;
    in_paragraph = is_prose;
  }
  return text;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t bytes = first < 0x80       ? 1
                            : first >> 5 == 6  ? 2
                            : first >> 4 == 14 ? 3
                            : first >> 3 == 30 ? 4
                                               : 0;
  if (bytes < 2) return {first, bytes};
  if (text.size() < bytes) return {};
  char32_t value = first & (0x7F >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (byte(i) >> 6 != 2) return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t min_value[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_invalid =
      value < min_value[bytes] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF);
  return is_invalid ? CodePoint{} : CodePoint{value, bytes};
}

namespace {

bool can_be_shown(char32_t value) {
  const auto is_in = [&](char32_t first, char32_t last) { return value >= first && value <= last; };
  return !(value < ' ' || is_in(0x7F, 0x9F) || value == 0x61C || is_in(0x200B, 0x200F) ||
           is_in(0x2028, 0x202E) || is_in(0x2060, 0x206F) || value == 0xFEFF);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto [value, bytes] = first_code_point(text);
    shown += bytes > 0 && can_be_shown(value) ? text.substr(0, bytes) : std::string_view("?");
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shown;
}

std::string replaced(std::string text, char letter, char by) {
  std::ranges::replace(text, letter, by);
  return text;
}

std::string printable_lines(const std::string& text) {
  std::string shown;
  for (const std::string& line : lines_of(replaced(text, '\t', ' '))) shown += printable(line) + "\n";
  if (!shown.empty() && !text.ends_with('\n')) shown.pop_back();
  return shown;
}

std::string set_apart(std::string_view line) {
  const std::string_view words = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  const bool is_command = words.starts_with("::") || words.starts_with("##");
  std::string apart = (is_command ? "  | " : "  ") + std::string(line);
  for (std::size_t at = 0; (at = apart.find("##[", at)) != std::string::npos;) apart.insert(at + 1, " ");
  return apart;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  return hash;
}

namespace {

struct Unit {
  double size;
  const char* name;
};

// Uses the largest unit that leaves at least 1 after rounding; `units` is sorted, largest first.
std::string in_units(double value, std::span<const Unit> units) {
  if (!std::isfinite(value)) return not_available;
  for (const Unit& unit : units)
    if (value / unit.size >= 0.9995) return three_digits(value / unit.size) + " " + unit.name;
  return three_digits(value / units.back().size) + " " + units.back().name;
}

// Formats with that many significant digits; whole numbers have all digits: "65 537", "-0.5".
std::string text_with_digits(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
  if (is_whole) return (value < 0 ? "-" : "") + grouped(static_cast<std::size_t>(std::abs(value)));
  return fmt::format("{:.{}g}", value, digits);
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
  const bool is_whole = std::isfinite(value) && value == std::floor(value) && std::abs(value) < 1e15;
  if (is_whole && value >= 0) return grouped(static_cast<std::size_t>(value));
  return three_digits(value);
}

std::string element_text(double value) {
  // Prints -0 as 0, which is equal.
  return std::isnan(value) ? "NaN" : fmt::format("{:.9g}", value == 0 ? 0 : value);
}

ExpectedAndActual distinguishable(double expected, double actual) {
  constexpr int min_digits = 4, max_digits = 17;  // 17 tell any two doubles apart
  int digits = min_digits;
  while (digits < max_digits && text_with_digits(expected, digits) == text_with_digits(actual, digits))
    ++digits;
  return {text_with_digits(expected, digits), text_with_digits(actual, digits)};
}

}  // namespace gpulab
