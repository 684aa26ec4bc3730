#include "cli/command.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>

#include "cli/completion.hpp"
#include "cli/earlier_outputs.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"
#include "core/run_facts.hpp"
#include "core/text.hpp"
#include "program/process.hpp"
#include "run/devices.hpp"

namespace gpulab::cli {
namespace {

// "--size -5" is a value that is wrong, not an option -5 that does not exist.
std::vector<std::string> with_negative_values_joined(const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  for (const std::string& word : words) {
    const bool is_value = word.size() > 1 && word[0] == '-' &&
                          std::string_view("0123456789.").find(word[1]) != std::string_view::npos &&
                          !joined.empty() && joined.back().starts_with("--") &&
                          joined.back().find('=') == std::string::npos;
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
    const bool is_run = subcommand->get_name() == "run";
    throw UsageError(
        subcommand->get_name() + " has no option '" + word + "'; " +
        suggestion(word, option_names(*subcommand),
                   is_run ? "an option of the program stands behind --" : "--help lists what it takes"));
  }
}

using AddCommand = void (*)(CLI::App&, CommandContext&);

void add_group(CLI::App& app, CommandContext& context, const std::string& group,
               std::initializer_list<AddCommand> commands) {
  const auto all = [](const CLI::App*) { return true; };
  const std::size_t before = app.get_subcommands(all).size();
  for (const AddCommand add : commands) add(app, context);
  const std::vector<CLI::App*> subcommands = app.get_subcommands(all);
  for (std::size_t i = before; i < subcommands.size(); ++i) subcommands[i]->allow_extras()->group(group);
}

void add_commands(CLI::App& app, CommandContext& context) {
  add_group(app, context, command_groups[0], {add_lessons});
  add_group(
      app, context, command_groups[1],
      {add_next, add_start, add_check, add_watch, add_hint, add_solution, add_diff, add_reset, add_progress});
  add_group(app, context, command_groups[2], {add_demo, add_grade, add_class});
  add_group(app, context, command_groups[3],
            {add_run, add_list, add_show, add_kernels, add_inspect, add_bench, add_compare, add_ab,
             add_crossover, add_report, add_limits});
  add_group(app, context, command_groups[4], {add_devices, add_doctor, add_editor});
  add_group(app, context, "", {add_completions, add_man_page});  // not in --help
}

// --no-pager may stand anywhere, since every command has it.
std::vector<std::string> without_pager_option(std::vector<std::string> words) {
  if (std::erase(words, "--no-pager") > 0) forbid_pager();
  return words;
}

// "gpulab help matmul" is "gpulab matmul --help".
std::vector<std::string> without_help_command(std::vector<std::string> words) {
  if (words.size() < 2 || words[1] != "help") return words;
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

std::string asked_help(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? overview(app) : help_of(*chosen.front());
}

[[noreturn]] void refuse_count_of_values(const std::string& message) {
  const std::string option = message.substr(0, message.find(':'));
  if (message.find("At Most") != std::string::npos)
    throw UsageError(option + " is given more than once; give it once");
  throw UsageError(option + " needs a value");
}

// compare and report have -- between two sides, ab before what two programs are to do, and run before the
// arguments of a program. They look among the words as they were typed. Elsewhere it says nothing, as in
// "check -- sums.cu". The parser would take it for the end of a command that may have enough files already.
std::vector<std::string> words_to_parse(std::vector<std::string> words) {
  if (words.size() > 1 && (words[1] == "ab" || words[1] == "run"))
    words.erase(std::ranges::find(words, "--"), words.end());
  else
    std::erase(words, "--");
  return words;
}

ExitCode parse_and_act(CLI::App& app, const CommandContext& context) {
  const std::vector<std::string> joined = with_negative_values_joined(words_to_parse(context.words));
  try {
    app.parse(
        std::vector<std::string>(joined.rbegin(), joined.rend() - 1));  // CLI11 takes the words in reverse
  } catch (const CLI::CallForVersion& version) {
    Output({}).write(std::string(version.what()) + "\n");
    return ExitCode::ok;
  } catch (const CLI::Success&) {
    print(asked_help(app));
    return ExitCode::ok;
  } catch (const CLI::ArgumentMismatch& error) {
    refuse_count_of_values(error.what());
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  refuse_leftovers(app);
  if (context.action) return context.action();
  Output({}).write(first_words());
  return ExitCode::ok;
}

// "gpulab complete WORDS... UNFINISHED", from a shell's completions: one candidate in a line.
ExitCode complete(CLI::App& app, CommandContext& context) {
  const std::string unfinished = context.words.back();
  context.words.pop_back();
  context.words.erase(context.words.begin() + 1);
  add_commands(app, context);
  std::string text;
  for (const Candidate& candidate :
       candidates(app, {context.words.begin() + 1, context.words.end()}, unfinished))
    text += candidate.word + (candidate.description.empty() ? "" : "\t" + candidate.description) + "\n";
  Output({}).write(text);
  return ExitCode::ok;
}

[[noreturn]] void start_anew(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  ::execv("/proc/self/exe", arguments.data());
  throw Error(ExitCode::device, "a fault has taken the GPU from this program; start it again");
}

}  // namespace

ExitCode run_command_line(const std::vector<std::string>& words) {
  if (const auto served = run::serve_device_if_asked(words)) return static_cast<ExitCode>(*served);
  if (const auto ended = program::run_program_if_asked(words)) return static_cast<ExitCode>(*ended);
  CLI::App app(what_gpulab_is, "gpulab");
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", version_text(), "print the version, its revision and compilers");
  app.require_subcommand(0, 1);
  app.add_flag("--no-pager")->description("print long output without a pager");
  CommandContext context{.words = without_help_command(without_pager_option(words)), .action = {}};
  if (words.size() > 2 && words[1] == "complete") return complete(app, context);
  add_commands(app, context);
  const EarlierOutputs earlier(app, context.words);
  refuse_unknown_first_word(app, context.words);
  try {
    return parse_and_act(app, context);
  } catch (const StartAnew& anew) {
    start_anew(anew.words);
  }
}

std::string version_text() {
  const BuildFacts& facts = build_facts();
  return fmt::format("gpulab {} (revision {}, {} build)\nhost compiler: {}\nCUDA Toolkit: {}", facts.version,
                     facts.revision, facts.build_type, facts.compiler,
                     facts.cuda_toolkit.empty() ? "none, simulator only" : facts.cuda_toolkit);
}

}  // namespace gpulab::cli
