#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/scanner.hpp"
#include "core/text.hpp"

namespace gpulab::cli {
namespace {

constexpr long double max_count = 9223372036854775807.0L;

int power_of_two(const std::string& suffix) {
  if (suffix == "Ki") return 10;
  if (suffix == "Mi") return 20;
  return suffix == "Gi" ? 30 : 0;
}

// The value, also when it is too large to be used; none when the text is no count.
std::optional<long double> value_of(const std::string& text) {
  Scanner scanner(text);
  // Unlike std::stold this takes any number of digits: too many become infinity.
  const auto number = [&]() -> std::optional<long double> {
    const std::string digits(scanner.digits());
    return digits.empty() ? std::nullopt : std::optional(std::strtold(digits.c_str(), nullptr));
  };
  const auto first = number();
  if (!first) return std::nullopt;
  const bool is_power = scanner.take("^"), is_scientific = !is_power && scanner.take_one_of("eE");
  if (is_power || is_scientific) {
    if (is_scientific) scanner.take("+");
    const auto second = number();
    if (!second || !scanner.is_at_end()) return std::nullopt;
    return is_power ? std::pow(*first, *second) : *first * std::pow(10.0L, *second);
  }
  const std::string suffix(scanner.rest());
  if (!suffix.empty() && power_of_two(suffix) == 0) return std::nullopt;
  return std::ldexp(*first, power_of_two(suffix));
}

}  // namespace

std::uint64_t parse_count(const std::string& option, const std::string& text) {
  if (text.starts_with('-')) throw UsageError(option + " " + text + " is negative; it must be at least 1");
  const auto value = value_of(text);
  if (!value)
    throw UsageError(option + " '" + text + "' is not a count; write it as 33554432, 2^25, 32Mi or 1e6");
  if (*value < 1) throw UsageError(option + " " + text + " is too small; it must be at least 1");
  if (*value > max_count) throw UsageError(option + " " + text + " is larger than any memory");
  return static_cast<std::uint64_t>(*value);
}

namespace {

constexpr std::size_t max_counts = 1000;

// Values in the order in which they were first named, each once.
class DistinctCounts {
 public:
  explicit DistinctCounts(std::string option) : option_(std::move(option)) {}

  void add(std::uint64_t value) {
    if (std::ranges::find(values_, value) != values_.end()) return;
    if (values_.size() == max_counts)
      throw UsageError(fmt::format("{} names more than {} values; take a larger step or factor", option_,
                                   grouped(max_counts)));
    values_.push_back(value);
  }
  std::vector<std::uint64_t> take() { return std::move(values_); }

 private:
  std::string option_;
  std::vector<std::uint64_t> values_;
};

// A range as it was typed: "2^20..2^28:x4".
struct TypedRange {
  std::string from, to, kind, step;
};

std::optional<TypedRange> typed_range(const std::string& text) {
  const std::size_t dots = text.find("..", 1), colon = text.find(':', std::min(text.size(), dots + 3));
  if (dots == std::string::npos || colon == std::string::npos || colon + 2 >= text.size())
    return std::nullopt;
  const std::string kind = text.substr(colon + 1, 1);
  if (kind != "x" && kind != "+") return std::nullopt;
  return TypedRange{text.substr(0, dots), text.substr(dots + 2, colon - dots - 2), kind,
                    text.substr(colon + 2)};
}

void add_range(const std::string& option, const std::string& text, DistinctCounts& counts) {
  const auto typed = typed_range(text);
  if (!typed)
    throw UsageError(option + " '" + text + "' is no range; write it as 2^20..2^28:x4 or 1000..5000:+1000");
  const std::uint64_t from = parse_count(option, typed->from), to = parse_count(option, typed->to);
  const bool multiplies = typed->kind == "x";
  const std::uint64_t step =
      parse_count((multiplies ? "the factor of " : "the step of ") + option, typed->step);
  if (from > to) throw UsageError(option + " " + text + " goes down; write the smaller end first");
  if (multiplies && step < 2)
    throw UsageError("the factor of " + option + " " + text + " is too small; it must be at least 2");
  // What comes next is compared before it is computed, because it may not fit.
  for (std::uint64_t value = from;; value = multiplies ? value * step : value + step) {
    counts.add(value);
    if (multiplies ? value > to / step : step > to - value) return;
  }
}

}  // namespace

std::vector<std::uint64_t> parse_counts(const std::string& option, const std::string& text) {
  DistinctCounts counts(option);
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, end - start);
    if (part.empty())
      throw UsageError(text.empty() ? option + " needs a value"
                                    : option + " '" + text + "' has a comma without a value beside it");
    part.find("..") != std::string::npos ? add_range(option, part, counts)
                                         : counts.add(parse_count(option, part));
    start = end + 1;
  }
  return counts.take();
}

}  // namespace gpulab::cli
