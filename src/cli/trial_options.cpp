#include "cli/trial_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/find_lesson.hpp"
#include "cli/own_options.hpp"
#include "cli/size_text.hpp"
#include "cli/validators.hpp"
#include "core/registry.hpp"
#include "exercise/check_settings.hpp"
#include "run/run_options.hpp"

namespace gpulab {
namespace {

std::set<std::string> own_options_of_all() {
  std::set<std::string> names;
  for (const Exercise& exercise : all_exercises())
    for (const Option& option : find_lesson(exercise.lesson).options) names.insert(option.name);
  return names;
}

void require_option(const Lesson& lesson, const std::string& name) {
  if (std::ranges::find(lesson.options, name, &Option::name) != lesson.options.end()) return;
  throw UsageError(
      fmt::format("{0} has no option '--{1}'; gpulab {0} --help lists what it has", lesson.name, name));
}

bool asks_for_settings(const TrialWords& words) {
  return words.size || words.seed || !words.own.empty();
}

Settings settings_of(const Lesson& lesson, const TrialWords& words, Settings settings) {
  if (words.size && !lesson.has_size()) require_option(lesson, "size");
  if (words.size) settings.size = parse_count("--size", *words.size);
  if (words.seed) settings.seed = *words.seed;
  const auto values = own_option_values(lesson, words.own);
  for (const auto& [name, text] : words.own) {
    require_option(lesson, name);
    settings.options[name] = values.at(name);
  }
  return settings;
}

}  // namespace

void add_trial_options(CLI::App& command, TrialWords& words) {
  command.add_option("--size", words.size, "try it with so many elements alone")->type_name("N");
  command.add_option("--block-size", words.block_size, "threads of a block (default: the lesson's)")
      ->type_name("N");
  command.add_option("--seed", words.seed, "of the random inputs (default 42)")
      ->check(a_whole_number())
      ->type_name("N");
  for (const std::string& name : own_options_of_all())
    command
        .add_option_function<std::string>(
            "--" + name, [&words, name](const std::string& text) { words.own[name] = text; }, "")
        ->group("");  // not in --help: they are the lessons'
  command.footer(
      "Options of the exercise's lesson are taken, too, such as --filter: gpulab LESSON --help lists them.");
}

Trial trial_of(const Exercise& exercise, const TrialWords& words) {
  const Lesson lesson = find_lesson(exercise.lesson);
  const Variant& solution = find_variant(lesson, lesson.solution);
  Trial trial;
  if (words.block_size) trial.block_size = parse_block_size(*words.block_size);
  const Settings first = check_settings(lesson, trial.block_size.value_or(solution.block.threads)).front();
  const Settings settings = settings_of(lesson, words, first);
  check_options(lesson, {.settings = settings, .block_size = trial.block_size, .variants = {solution.name}});
  if (asks_for_settings(words)) trial.settings = settings;
  return trial;
}

}  // namespace gpulab
