#include "cli/options.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <regex>

#include "core/error.hpp"
#include "core/launch.hpp"
#include "core/registry.hpp"
#include "core/text.hpp"

namespace gpulab::cli {

CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& word,
                        const std::string& description, const std::vector<std::string>& choices) {
  word = choices.front();
  return command.add_option(name, word, description)
      ->check(one_of(choices))
      ->type_name(fmt::format("{}", fmt::join(choices, "|")));
}

void add_format_option(CLI::App& command, std::string& format) {
  add_choice(command, "--format", format, "how it is written", {"text", "json"});
}

namespace {

constexpr long double max_count = 9223372036854775807.0L;

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
  if (*value > max_count) throw UsageError(option + " " + text + " is larger than any memory");
  return static_cast<std::uint64_t>(*value);
}

unsigned parse_block_size(const std::string& text) {
  const std::uint64_t threads = parse_count("--block-size", text);
  if (threads > max_threads_per_block)
    throw UsageError("--block-size " + text + " is too large; a block has at most 1024 threads");
  return static_cast<unsigned>(threads);
}

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

Lesson find_lesson(const std::string& name) {
  std::vector<std::string> names;
  for (const Lesson& lesson : all_lessons()) {
    if (lesson.is_called(name)) return lesson;
    names.push_back(lesson.name);
    names.insert(names.end(), lesson.aliases.begin(), lesson.aliases.end());
  }
  throw UsageError("there is no lesson '" + name + "'; " + suggestion(name, names, "gpulab list shows them"));
}

}  // namespace gpulab::cli
