#include "cli/refused_words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/lesson_options.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::cli {
namespace {

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(subcommand->get_name());
    for (const std::string& alias : subcommand->get_aliases()) names.push_back(alias);
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// Returns how to write a size for the command, if the word is a number or resembles --size; else empty.
std::string advice_on_size(const CLI::App& command, const std::string& word) {
  const std::string size = "--size";
  if (command.get_name() == "demo" && (word == size || !nearest_name(word, {&size, 1}).empty()))
    return "in a demo, the keys + and - double and halve the size";
  const bool has_size = command.get_option_no_throw("--size") != nullptr;
  const bool is_number =
      !word.empty() && std::ranges::all_of(word, [](unsigned char letter) { return std::isdigit(letter); });
  if (is_number) return has_size ? "write --size " + word : "";
  const auto lessons = all_lessons();
  const auto lesson = std::ranges::find(lessons, command.get_name(), &Lesson::name);
  return word == size && lesson != lessons.end() ? sizes_of(*lesson) : "";
}

}  // namespace

void refuse_empty_word(const std::vector<std::string>& words, std::size_t first) {
  for (std::size_t at = first; at < words.size() && words[at] != "--"; ++at) {
    const std::string& option = words[at].empty() ? words[at - 1] : words[at];
    const bool is_of_option =
        option.starts_with("--") && option != "--" && (words[at].empty() || option.ends_with("="));
    if (is_of_option)
      throw UsageError(fmt::format("{} needs a value, and it is empty: is a shell variable not set?",
                                   option.substr(0, option.find('='))));
    if (words[at].empty())
      throw UsageError(fmt::format("argument {} is empty: is a shell variable not set?", at));
  }
}

void refuse_unknown_first_word(const CLI::App& app, const std::vector<std::string>& words) {
  const auto names = subcommand_names(app);
  if (words.size() < 2 || contains(names, words[1])) return;
  constexpr std::pair<const char*, const char*> new_names[] = {{"compare", "report"},
                                                               {"devices", "doctor"},
                                                               {"kernels", "show"},
                                                               {"reset", "start --again"},
                                                               {"crossover", "bench --crossover"},
                                                               {"ab", "bench --against"}};
  for (const auto& [old_name, new_name] : new_names)
    if (words[1] == old_name) throw UsageError(fmt::format("gpulab {} is now gpulab {}", old_name, new_name));
  const std::vector<std::string> options{"-h", "--help", "--version"};
  if (contains(options, words[1])) return;
  if (words[1].starts_with('-'))
    throw UsageError(fmt::format("gpulab itself has no option '{}'; {}", words[1],
                                 suggestion(words[1], options, "a lesson's options come after its name")));
  if (is_file(words[1]))
    throw UsageError(fmt::format("'{}' is a file; run it: gpulab run {}", words[1], words[1]));
  if (words[1] == "mistakes")
    throw UsageError(
        fmt::format("mistakes are a demo: gpulab demo mistakes {}", words.size() > 2 ? words[2] : "LESSON"));
  throw UsageError(fmt::format("there is no lesson or command '{}'; {}", words[1],
                               suggestion(words[1], names, "gpulab list shows the lessons")));
}

void refuse_leftovers(const CLI::App& app) {
  for (const CLI::App* subcommand : app.get_subcommands()) {
    const std::vector<std::string> left = subcommand->remaining();
    if (left.empty()) continue;
    const std::string word = left.front().substr(0, left.front().find('='));
    const bool is_next = subcommand->get_name() == "next";
    const std::string advice =
        is_next ? "an exercise of your choice: gpulab start " + word : advice_on_size(*subcommand, word);
    if (!word.starts_with('-'))
      throw UsageError(fmt::format("{} takes no argument '{}'; {}", subcommand->get_name(), word,
                                   advice.empty() ? "--help lists what it takes" : advice));
    const char* const otherwise =
        subcommand->get_name() == "run" ? "options of the program follow --" : "--help lists what it takes";
    throw UsageError(
        fmt::format("{} has no option '{}'; {}", subcommand->get_name(), word,
                    advice.empty() ? suggestion(word, option_names(*subcommand), otherwise) : advice));
  }
}

void refuse_count_of_values(const std::string& message) {
  const std::string option = message.substr(0, message.find(':'));
  if (message.find("At Most") != std::string::npos)
    throw UsageError(option + " is given more than once; give it once");
  throw UsageError(option + " needs a value");
}

void refuse_missing_argument(const CLI::App& app) {
  const CLI::App& command = *app.get_subcommands().front();
  for (const CLI::Option* argument : command.get_options())
    if (argument->get_required() && argument->count() == 0) {
      const std::string name = argument->get_type_name();
      const std::string values = name == "LESSON"     ? "gpulab list shows the lessons"
                                 : name == "EXERCISE" ? "gpulab progress lists the exercises"
                                                      : argument->get_description();
      refuse_leftovers(app);
      throw UsageError(fmt::format("{} is missing: {}; {}", name, usage_of(command), values));
    }
  throw UsageError(usage_of(command));
}

void refuse_options_as_values(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& value : option->results())
        if (!option->get_positional() && value.starts_with("--") && command->get_option_no_throw(value))
          throw UsageError(fmt::format("{} needs a value, and {} is an option", option->get_name(), value));
}

}  // namespace gpulab::cli
