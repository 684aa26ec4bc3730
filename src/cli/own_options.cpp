#include "cli/own_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/size_text.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"

namespace gpulab {
namespace {

struct HelpText {
  const Option& option;

  std::string operator()(const Choice& choice) const {
    return fmt::format("{}: {}", option.help, fmt::join(choice.words, ", "));
  }
  std::string operator()(const Count& count) const {
    return fmt::format("{} (default {})", option.help, count.default_value);
  }
  std::string operator()(const Number& number) const {
    return fmt::format("{} (default {:g})", option.help, number.default_value);
  }
  std::string operator()(const InputFile&) const { return option.help; }
  std::string operator()(const OutputFile&) const { return option.help; }
};

struct TypeName {
  const char* operator()(const Choice&) const { return "WORD"; }
  const char* operator()(const Count&) const { return "N"; }
  const char* operator()(const Number&) const { return "X"; }
  const char* operator()(const InputFile&) const { return "FILE"; }
  const char* operator()(const OutputFile&) const { return "FILE"; }
};

// What was typed, as the kind of option has it.
struct Parse {
  std::string name;  // "--width"
  const std::string& text;

  OptionValue operator()(const Choice& choice) const {
    if (std::ranges::find(choice.words, text) == choice.words.end())
      throw UsageError(fmt::format("{}: '{}' is not one of {}", name, text, fmt::join(choice.words, ", ")));
    return text;
  }
  OptionValue operator()(const Count& range) const {
    const std::uint64_t count = parse_count(name, text);
    if (count < range.min) refuse("less than " + grouped(range.min) + ", the least that it can be");
    if (count > range.max) refuse("more than " + grouped(range.max) + ", the most that it can be");
    return count;
  }
  OptionValue operator()(const Number& range) const {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(number))
      throw UsageError(name + ": '" + text + "' is not a number");
    if (number < range.min) refuse(fmt::format("less than {:g}, the least that it can be", range.min));
    if (number > range.max) refuse(fmt::format("more than {:g}, the most that it can be", range.max));
    return number;
  }
  OptionValue operator()(const InputFile&) const { return file(); }
  OptionValue operator()(const OutputFile&) const { return file(); }

 private:
  OptionValue file() const {
    if (text.empty()) throw UsageError(name + " needs the name of a file");
    return text;
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError(name + " " + text + " is " + why);
  }
};

}  // namespace

void add_own_option(CLI::App& command, const Option& option, LessonWords& words) {
  const auto keep = [&words, name = option.name](const std::string& text) { words.own[name] = text; };
  CLI::Option* added = command.add_option_function<std::string>("--" + option.name, keep,
                                                                std::visit(HelpText{option}, option.kind));
  added->type_name(std::visit(TypeName{}, option.kind));
}

std::map<std::string, OptionValue> own_option_values(const Lesson& lesson,
                                                     const std::map<std::string, std::string>& typed) {
  std::map<std::string, OptionValue> values;
  for (const Option& option : lesson.options) {
    const auto found = typed.find(option.name);
    values[option.name] = found == typed.end()
                              ? default_value(option)
                              : std::visit(Parse{"--" + option.name, found->second}, option.kind);
  }
  return values;
}

}  // namespace gpulab
