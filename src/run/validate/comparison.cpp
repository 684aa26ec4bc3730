#include "run/validate/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/text.hpp"

namespace gpulab::run::validate {
namespace {

void require_comparable(const Array& actual, const Array& expected) {
  const std::string pair = "'" + actual.name() + "' and its reference ";
  if (actual.bytes().data() == expected.bytes().data())
    throw std::logic_error(pair + "are the same memory: nothing is compared with itself");
  if (actual.length() != expected.length() || actual.type() != expected.type())
    throw std::logic_error(pair + "differ in length or type");
}

// Computes in double, which holds every value of the element types exactly, int32 and uint32 included.
template <class T>
void count_wrong(std::span<const T> actual, std::span<const T> expected, Comparison& comparison) {
  const Tolerance tolerance = comparison.tolerance;
  const std::size_t length = actual.size();
  std::size_t wrong = 0;
  double largest_error = 0;
#pragma omp parallel for simd reduction(+ : wrong) reduction(max : largest_error) if (length >= min_parallel_size)
  for (std::size_t i = 0; i < length; ++i) {
    const double a = static_cast<double>(actual[i]);
    const double e = static_cast<double>(expected[i]);
    const double error = std::abs(a - e);
    wrong += is_close(a, e, tolerance) ? 0 : 1;
    largest_error = error > largest_error ? error : largest_error;
  }
  comparison.wrong = wrong;
  comparison.largest_error = largest_error;
}

template <class T>
void keep_first(std::span<const T> actual, std::span<const T> expected, Comparison& comparison) {
  const std::size_t wanted = std::min(comparison.wrong, differences_kept);
  // Also bounded by the length: rounding may make this differ from the vectorised loop at the very tolerance.
  for (std::size_t i = 0; i < actual.size() && comparison.first.size() < wanted; ++i) {
    const double a = static_cast<double>(actual[i]);
    const double e = static_cast<double>(expected[i]);
    if (!is_close(a, e, comparison.tolerance)) comparison.first.push_back({i, e, a});
  }
}

}  // namespace

Comparison compare(const Array& actual, const Array& expected, Tolerance tolerance) {
  require_comparable(actual, expected);
  return with_type(actual.type(), [&](auto zero) {
    using T = decltype(zero);
    Comparison comparison{.checked = actual.length(), .tolerance = std::is_integral_v<T> ? exact : tolerance};
    count_wrong(actual.as<T>(), expected.as<T>(), comparison);
    keep_first(actual.as<T>(), expected.as<T>(), comparison);
    return comparison;
  });
}

namespace {

// Finds the changed units of a zone. byte_at(distance) is the byte at a distance outwards from the array.
template <class ByteAt>
std::optional<GuardHit> find_hit(GuardSide side, std::size_t length, ByteAt byte_at, std::byte pattern,
                                 std::size_t unit_bytes) {
  GuardHit hit{.side = side};
  for (std::size_t unit = 0; unit < length; unit += unit_bytes) {
    const std::size_t unit_end = std::min(unit + unit_bytes, length);
    bool changed = false;
    for (std::size_t distance = unit; distance < unit_end; ++distance)
      changed = changed || byte_at(distance) != pattern;
    if (!changed) continue;
    if (hit.bytes == 0) hit.offset = unit;
    hit.bytes += unit_end - unit;
  }
  return hit.bytes > 0 ? std::optional(hit) : std::nullopt;
}

}  // namespace

std::optional<GuardHit> find_guard_hit(std::span<const std::byte> before, std::span<const std::byte> after,
                                       std::byte pattern, std::size_t unit_bytes) {
  const auto behind = [after](std::size_t distance) { return after[distance]; };
  if (const auto hit = find_hit(GuardSide::after, after.size(), behind, pattern, unit_bytes)) return hit;
  const auto in_front = [before](std::size_t distance) { return before[before.size() - 1 - distance]; };
  return find_hit(GuardSide::before, before.size(), in_front, pattern, unit_bytes);
}

namespace {

bool is_right(const std::string& text, const PrintedNumber& expected) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return false;
  return std::abs(value - expected.value) <= expected.tolerance * std::abs(expected.value);
}

// Returns the rest of each line that begins with the name, without blanks.
std::vector<std::string> printed_behind(const std::string& name, const std::vector<std::string>& lines) {
  std::vector<std::string> all;
  for (const std::string& line : lines) {
    if (!line.starts_with(name) || line.size() == name.size() || line[name.size()] != ' ') continue;
    all.push_back(trimmed(line.substr(name.size())));
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

namespace {

template <class T>
bool holds_numbers_as(std::string_view bytes, const std::vector<double>& numbers) {
  std::unordered_map<double, std::size_t> missing;
  for (const double number : numbers) ++missing[number];
  std::size_t remaining = numbers.size();
  for (std::size_t offset = 0; remaining > 0 && offset + sizeof(T) <= bytes.size(); offset += sizeof(T)) {
    T element;
    std::memcpy(&element, bytes.data() + offset, sizeof element);
    const auto found = missing.find(static_cast<double>(element));
    if (found == missing.end() || found->second == 0) continue;
    --found->second;
    --remaining;
  }
  return remaining == 0;
}

}  // namespace

bool holds_all_numbers(std::string_view bytes, const std::vector<double>& numbers) {
  return holds_numbers_as<float>(bytes, numbers) || holds_numbers_as<std::int32_t>(bytes, numbers) ||
         holds_numbers_as<double>(bytes, numbers) || holds_numbers_as<std::int64_t>(bytes, numbers);
}

}  // namespace gpulab::run::validate
