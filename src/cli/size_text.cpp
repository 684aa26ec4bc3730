#include "cli/size_text.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <regex>

#include "core/error.hpp"
#include "core/launch.hpp"

namespace gpulab {
namespace {

constexpr long double most = 9223372036854775807.0L;

int power_of_two(const std::string& suffix) {
  if (suffix == "Ki") return 10;
  if (suffix == "Mi") return 20;
  return suffix == "Gi" ? 30 : 0;
}

// The value, also when it is too large to be used; none when the text is no count.
std::optional<long double> value_of(const std::string& text) {
  static const std::regex plain(R"((\d+)(Ki|Mi|Gi)?)"), power(R"((\d+)\^(\d+))"),
      scientific(R"((\d+)[eE]\+?(\d+))");
  std::smatch match;
  // Unlike std::stold this takes any number of digits: too many become infinity.
  const auto number = [&](int group) { return std::strtold(match[group].str().c_str(), nullptr); };
  if (std::regex_match(text, match, plain)) return std::ldexp(number(1), power_of_two(match[2].str()));
  if (std::regex_match(text, match, power)) return std::pow(number(1), number(2));
  if (std::regex_match(text, match, scientific)) return number(1) * std::pow(10.0L, number(2));
  return std::nullopt;
}

}  // namespace

std::uint64_t parse_count(const std::string& option, const std::string& text) {
  if (text.starts_with('-')) throw UsageError(option + " " + text + " is negative; it must be at least 1");
  const auto value = value_of(text);
  if (!value)
    throw UsageError(option + " '" + text + "' is not a count; write it as 33554432, 2^25, 32Mi or 1e6");
  if (*value < 1) throw UsageError(option + " " + text + " is too small; it must be at least 1");
  if (*value > most) throw UsageError(option + " " + text + " is larger than any memory");
  return static_cast<std::uint64_t>(*value);
}

unsigned parse_block_size(const std::string& text) {
  const std::uint64_t threads = parse_count("--block-size", text);
  if (threads > max_threads_per_block)
    throw UsageError("--block-size " + text + " is more than 1024, the most threads a block can have");
  return static_cast<unsigned>(threads);
}

}  // namespace gpulab
