#pragma once

#include "base/error.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"
#include "test.hpp"

// Settings with which every lesson is tried on every device.

namespace gpulab::run {

inline std::set<std::size_t> edge_sizes(unsigned block_size) {
  const std::size_t block = block_size;
  std::set<std::size_t> sizes{1, 2, 31, 32, 33, block - 1, block, block + 1, 2 * block, 10007, 65536, 100003};
  sizes.erase(0);
  return sizes;
}

// Names the lesson in the messages of parametrised tests.
inline void PrintTo(const Lesson& lesson, std::ostream* out) {
  *out << lesson.name;
}

using OptionValues = std::map<std::string, OptionValue>;

inline OptionValues default_values(const Lesson& lesson) {
  return default_values(lesson.options);
}

// Returns every combination of the words of the lesson's own options; numbers are the usual ones or smaller.
inline std::vector<OptionValues> every_choice(const Lesson& lesson) {
  constexpr std::uint64_t largest_count = 2000;
  std::vector<OptionValues> all{default_values(lesson)};
  for (auto& [name, value] : all.front())
    if (auto* count = std::get_if<std::uint64_t>(&value)) *count = std::min(*count, largest_count);
  for (const Option& option : lesson.options) {
    const auto* choice = std::get_if<Choice>(&option.kind);
    if (!choice) continue;
    std::vector<OptionValues> extended;
    for (const OptionValues& chosen : all)
      for (const std::string& word : choice->words) {
        extended.push_back(chosen);
        extended.back()[option.name] = word;
      }
    all = extended;
  }
  return all;
}

// Returns values for the lesson's counts (a width, a number of columns): all equal, then one small and the
// others large.
inline std::vector<OptionValues> edge_counts(const Lesson& lesson, const OptionValues& base) {
  std::vector<const Option*> counts;
  for (const Option& option : lesson.options)
    if (std::holds_alternative<Count>(option.kind)) counts.push_back(&option);
  const auto largest_of = [](const Option& option, const Option* small) -> std::uint64_t {
    if (option.name == gpus_option) return 7;  // each simulated device has memory of its own to fill
    // Three steps show everything, except on a narrow image, which fades only after many.
    if (option.name == "steps" && !(small && small->name == "width")) return 3;
    return std::get<Count>(option.kind).max;
  };
  std::vector<OptionValues> cases;
  const auto add_case = [&](const Option* small, std::uint64_t few, std::uint64_t others) {
    cases.push_back(base);
    for (const Option* option : counts)
      cases.back()[option->name] = std::clamp(option == small ? few : others,
                                              std::get<Count>(option->kind).min, largest_of(*option, small));
  };
  for (const std::uint64_t all : {1, 7, 33, 65}) add_case(nullptr, all, all);
  for (const Option* small : counts)
    for (const std::uint64_t few : {1, 3}) add_case(small, few, 41);
  return cases;
}

// Returns whether the lesson takes these settings; it may refuse an even filter, for example.
inline bool takes(const Lesson& lesson, const Settings& settings) {
  try {
    lesson.problem(settings);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// Returns whether a check would take long: the work of primes grows with the square of the size.
inline bool is_too_much_work(const Lesson& lesson, const Settings& settings) {
  constexpr double most_work = 2e6;
  return lesson.has_size() && lesson.problem(settings).work_to_check.value_or(0) > most_work;
}

// Settings at which every lesson has to do what it promises: edge sizes with every choice; or, without
// --size, edge counts with the usual choices, and every choice with one of them.
inline std::vector<Settings> edge_settings(const Lesson& lesson, unsigned block_size) {
  std::vector<Settings> all;
  const std::vector<OptionValues> choices = every_choice(lesson);
  for (const OptionValues& options : choices) {
    if (lesson.has_size())
      for (const std::size_t size : edge_sizes(block_size)) all.push_back({.size = size, .options = options});
    else
      all.push_back({.options = edge_counts(lesson, options).back()});
  }
  if (!lesson.has_size())
    for (const OptionValues& counts : edge_counts(lesson, choices.front()))
      all.push_back({.options = counts});
  std::erase_if(all, [&](const Settings& settings) {
    return !takes(lesson, settings) || is_too_much_work(lesson, settings);
  });
  return all;
}

// "size 33, --border zero"
inline std::string text_of(const Settings& settings) {
  std::string text = "size " + std::to_string(settings.size);
  for (const auto& [name, value] : settings.options) {
    text += " --" + name + " ";
    if (const auto* word = std::get_if<std::string>(&value)) text += *word;
    if (const auto* count = std::get_if<std::uint64_t>(&value)) text += std::to_string(*count);
    if (const auto* number = std::get_if<double>(&value)) text += std::to_string(*number);
  }
  return text;
}

}  // namespace gpulab::run
