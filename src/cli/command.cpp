#include "cli/command.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <regex>

#include "cli/output.hpp"
#include "core/build_facts.hpp"
#include "core/nearest_name.hpp"

namespace gpulab::cli {
namespace {

constexpr const char* footer = R"(Start with
  gpulab list                          the lessons, in the order of the course
  gpulab first-kernel --help           what a lesson shows, and its options
  gpulab first-kernel                  run it, on a GPU or, without one, on the CPU
  gpulab histogram --size 33554432 --format json
  gpulab next                          the next exercise: do what it says, then gpulab check

Exit codes: 0 all as stated, 1 a result is wrong, 2 usage, 3 a kernel does not compile,
4 the device, 5 a regression)";

// "--size -5" is a value that is wrong, not an option -5 that does not exist.
std::vector<std::string> with_negative_values_joined(const std::vector<std::string>& words) {
  static const std::regex negative("-[0-9.].*");
  std::vector<std::string> joined;
  for (const std::string& word : words) {
    const bool is_value = std::regex_match(word, negative) && !joined.empty() &&
                          joined.back().starts_with("--") && joined.back().find('=') == std::string::npos;
    if (is_value)
      joined.back() += "=" + word;
    else
      joined.push_back(word);
  }
  return joined;
}

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

// CLI11 would say what it did not expect; a person wants to know what it could have been.
void refuse_unknown_first_word(const CLI::App& app, const std::vector<std::string>& words) {
  const auto names = subcommand_names(app);
  if (words.size() < 2 || std::ranges::find(names, words[1]) != names.end()) return;
  const std::vector<std::string> options{"-h", "--help", "--version"};
  if (std::ranges::find(options, words[1]) != options.end()) return;
  if (words[1].starts_with('-'))
    throw UsageError("gpulab itself has no option '" + words[1] + "'; " +
                     suggestion(words[1], options, "a lesson's options come after its name"));
  throw UsageError("there is no lesson or command '" + words[1] + "'; " +
                   suggestion(words[1], names, "gpulab list shows the lessons"));
}

void refuse_leftovers(const CLI::App& app) {
  for (const CLI::App* subcommand : app.get_subcommands()) {
    const std::vector<std::string> left = subcommand->remaining();
    if (left.empty()) continue;
    const std::string word = left.front().substr(0, left.front().find('='));
    if (!word.starts_with('-'))
      throw UsageError(subcommand->get_name() + " takes no argument '" + word +
                       "'; --help lists what it takes");
    throw UsageError(subcommand->get_name() + " has no option '" + word + "'; " +
                     suggestion(word, option_names(*subcommand), "--help lists what it takes"));
  }
}

}  // namespace

ExitCode run_command_line(const std::vector<std::string>& words) {
  CLI::App app("The steps of a GPU programming workshop, on a GPU or on the CPU.", "gpulab");
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", version_text(), "print the version, its revision and compilers");
  app.require_subcommand(0, 1);
  CommandContext context{.words = words, .action = {}};
  add_lessons(app, context);
  add_list(app, context);
  add_show(app, context);
  add_inspect(app, context);
  add_devices(app, context);
  add_bench(app, context);
  add_doctor(app, context);
  add_next(app, context);
  add_start(app, context);
  add_check(app, context);
  add_watch(app, context);
  add_hint(app, context);
  add_solution(app, context);
  add_diff(app, context);
  add_reset(app, context);
  add_progress(app, context);
  app.footer(footer);  // after the subcommands, which would inherit it
  for (CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
    subcommand->allow_extras();

  if (words.size() > 1 && words[1] == "help") {
    Output({}).write(app.help());
    return ExitCode::ok;
  }
  refuse_unknown_first_word(app, words);
  const std::vector<std::string> joined = with_negative_values_joined(words);
  try {
    app.parse(
        std::vector<std::string>(joined.rbegin(), joined.rend() - 1));  // CLI11 takes the words in reverse
  } catch (const CLI::CallForVersion& version) {
    Output({}).write(std::string(version.what()) + "\n");
    return ExitCode::ok;
  } catch (const CLI::Success&) {
    Output({}).write(app.help());
    return ExitCode::ok;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message = error.what();
    throw UsageError(message.substr(0, message.find(':')) + " needs a value");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  refuse_leftovers(app);
  if (!context.action) {
    Output({}).write(app.help());
    return ExitCode::ok;
  }
  return context.action();
}

std::string version_text() {
  const BuildFacts& facts = build_facts();
  return fmt::format("gpulab {} (revision {}, {} build)\nhost compiler: {}\nCUDA Toolkit: {}", facts.version,
                     facts.revision, facts.build_type, facts.compiler,
                     facts.cuda_toolkit.empty() ? "none, simulator only" : facts.cuda_toolkit);
}

}  // namespace gpulab::cli
