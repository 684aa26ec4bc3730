#include "cli/command.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

#include "base/output.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/lesson_options.hpp"
#include "cli/lesson_reports.hpp"
#include "cli/options.hpp"
#include "cli/refused_words.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "program/process.hpp"
#include "run/devices.hpp"

namespace gpulab::cli {

const char* const program_description =
    "gpulab teaches CUDA: it runs the lessons of a GPU workshop, checks the kernels that you write and says what is wrong with them. It needs no GPU.";

const std::vector<ExitCodeText> exit_codes = {
    {ExitCode::ok, "as expected"}, {ExitCode::wrong_result, "wrong result"},
    {ExitCode::usage, "usage"},    {ExitCode::compilation, "compilation"},
    {ExitCode::device, "device"},  {ExitCode::regression, "regression"},
};

const std::vector<std::string> command_groups = {"Lessons, in teaching order", "Learn",        "Teach",
                                                 "Inspect and measure",        "This machine", "More"};

namespace {

constexpr std::size_t max_columns = 80;
constexpr std::size_t margin = 2;
constexpr std::size_t gap = 2;  // between a name and its meaning

std::size_t width_of_help() {
  return std::min<std::size_t>(max_columns, style_of_stdout().width);
}

}  // namespace

std::size_t width_of_names(const std::vector<Row>& rows) {
  constexpr std::size_t max_width = 24;
  std::size_t width = 0;
  for (const auto& [name, text] : rows)
    if (name.size() <= max_width) width = std::max(width, name.size());
  return width;
}

std::string rows_text(const std::vector<Row>& rows, std::size_t width_of_names) {
  const std::size_t column = margin + width_of_names + gap;  // of the meanings
  std::string result;
  for (const auto& [name, text] : rows) {
    std::string line = std::string(margin, ' ') + name;
    for (const std::string& part : wrapped(text, width_of_help() - column)) {
      if (line.size() + gap > column) result += std::exchange(line, "") + "\n";
      line.resize(column, ' ');
      result += std::exchange(line, "") + part + "\n";
    }
    if (!line.empty()) result += line + "\n";
  }
  return result;
}

namespace {

std::string wrapped_text(const std::string& text) {
  std::string result;
  for (const std::string& line : wrapped(text, width_of_help())) result += line + "\n";
  return result;
}

// Lists the exit codes; a code and its meaning stay on one line.
std::string exit_codes_text() {
  std::string text, line = "Exit codes:";
  for (const auto& [code, meaning] : exit_codes) {
    const bool is_last = code == exit_codes.back().code;
    const std::string word = fmt::format(" {} {}{}", static_cast<int>(code), meaning, is_last ? "" : ",");
    if (line.size() + word.size() > width_of_help()) text += std::exchange(line, " ") + "\n";
    line += word;
  }
  return text + line + "\n";
}

std::string with_aliases(const CLI::App& command) {
  const std::string& title = command.get_description();
  if (command.get_aliases().empty()) return title;
  return fmt::format("{} (also: {})", title, fmt::join(command.get_aliases(), ", "));
}

// Returns a lesson's title, or its beginning if the title is wider than that.
std::string short_title(const std::string& title, std::size_t width) {
  return title.size() <= width ? title : title.substr(0, title.find(": "));
}

}  // namespace

std::vector<const CLI::App*> commands_in(const CLI::App& app, const std::string& group) {
  return app.get_subcommands([&](const CLI::App* command) { return command->get_group() == group; });
}

std::string welcome_text() {
  return wrapped_text(program_description) + "\n" +
         rows_text({{"gpulab next", "begin the first exercise"},
                    {"gpulab first-kernel", "run the first lesson"},
                    {"gpulab list", "list all lessons"},
                    {"gpulab --help", "list all commands"}});
}

std::string overview(const CLI::App& app) {
  std::size_t name_width = 0;
  const auto listed = std::span(command_groups).first(command_groups.size() - 1);
  for (const std::string& group : listed)
    for (const CLI::App* command : commands_in(app, group))
      name_width = std::max(name_width, command->get_name().size());
  const std::size_t room = width_of_help() - name_width - margin - gap;
  std::string text = "Usage: gpulab [--version] [--no-pager] LESSON|COMMAND [--help] [options]\n";
  for (const std::string& group : listed) {
    text += "\n" + group + ":\n";
    for (const CLI::App* command : commands_in(app, group))
      text += fmt::format("{:{}}{:{}}  {}\n", "", margin, command->get_name(), name_width,
                          short_title(with_aliases(*command), room));
  }
  return text + "\n" + exit_codes_text();
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string words = option.get_type_name();
  if (words.find('|') == std::string::npos) return {};
  return CLI::detail::split(words, '|');
}

std::string spelling_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames())
    names += "-" + name + (option.get_lnames().empty() ? "" : ", ");
  for (const std::string& name : option.get_lnames()) names += "--" + name;
  if (option.get_items_expected_max() == 0) return names;
  return names + " " + (choices_of(option).empty() ? option.get_type_name() : "WORD");
}

std::string meaning_of(const CLI::Option& option) {
  std::vector<std::string> choices = choices_of(option);
  if (choices.empty()) return option.get_description();
  if (!option.get_required()) choices.front() += " (default)";
  return fmt::format("{}: {}", option.get_description(), fmt::join(choices, ", "));
}

namespace {

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::Option*> options_in(const CLI::App& command, const std::string& group) {
  return command.get_options(
      [&](const CLI::Option* option) { return is_shown(*option) && option->get_group() == group; });
}

std::vector<Row> argument_rows(const CLI::App& command) {
  std::vector<Row> rows;
  for (const CLI::Option* argument : arguments_of(command))
    rows.emplace_back(argument->get_type_name(), meaning_of(*argument));
  return rows;
}

std::vector<Row> option_rows(const CLI::App& command, const std::string& group) {
  std::vector<Row> rows;
  for (const CLI::Option* option : options_in(command, group))
    rows.emplace_back(spelling_of(*option), meaning_of(*option));
  return rows;
}

}  // namespace

std::string usage_of(const CLI::App& command) {
  std::string text = "gpulab " + command.get_name();
  for (const CLI::Option* argument : arguments_of(command)) {
    constexpr int two_words = 2;  // such as "mistakes LESSON", which is not a list
    const bool may_repeat = argument->get_items_expected_max() > two_words;
    const std::string name = argument->get_type_name() + (may_repeat ? "..." : "");
    text += argument->get_required() ? " " + name : " [" + name + "]";
  }
  return text + " [options]";
}

std::string help_of(const CLI::App& command) {
  std::vector<std::pair<std::string, std::vector<Row>>> lists{{"Arguments", argument_rows(command)}};
  for (const std::string& group : command.get_groups())
    lists.emplace_back(group, option_rows(command, group));
  std::size_t width = 0;  // the same for all, so that everything is in one column
  for (const auto& [title, rows] : lists) width = std::max(width, width_of_names(rows));
  std::string text =
      fmt::format("{}\nUsage: {}\n", wrapped_text(capitalised(with_aliases(command))), usage_of(command));
  for (const auto& [title, rows] : lists)
    if (!rows.empty()) text += fmt::format("\n{}:\n{}", title, rows_text(rows, width));
  const std::string footer = command.get_footer();
  return footer.empty() ? text : text + "\n" + wrapped_text(footer);
}

std::string lesson_footer(const Lesson& lesson) {
  std::vector<Row> variants;
  for (const Variant& variant : lesson.variants) variants.emplace_back(variant.name, variant.idea);
  std::string text = lesson.text;
  while (text.ends_with('\n')) text.pop_back();
  return fmt::format("{}\n\nVariants:\n{}\nIn the course: {}, beside episode {}", text, rows_text(variants),
                     lesson.page, lesson.place.episode);
}

namespace {

// Joins negative numbers to the options before them: "--size -5" has a wrong value, not an option -5.
std::vector<std::string> with_negative_values_joined(const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  for (const std::string& word : words) {
    const bool is_negative = word.size() > 1 && word[0] == '-' &&
                             std::string_view("0123456789.").find(word[1]) != std::string_view::npos;
    const bool follows_option =
        !joined.empty() && joined.back().starts_with("--") && joined.back().find('=') == std::string::npos;
    if (is_negative && follows_option)
      joined.back() += "=" + word;
    else
      joined.push_back(word);
  }
  return joined;
}

using AddCommand = void (*)(CLI::App&, CommandContext&);

void add_group(CLI::App& app, CommandContext& context, const std::string& group,
               std::initializer_list<AddCommand> commands) {
  const auto any_command = [](const CLI::App*) { return true; };
  const std::size_t earlier_count = app.get_subcommands(any_command).size();
  for (const AddCommand add : commands) add(app, context);
  const std::vector<CLI::App*> subcommands = app.get_subcommands(any_command);
  for (std::size_t i = earlier_count; i < subcommands.size(); ++i) {
    subcommands[i]->allow_extras()->group(group);
    // An option that may be repeated takes one value each time: the word after the value may be a file.
    for (CLI::Option* option : subcommands[i]->get_options())
      if (!option->get_positional()) option->allow_extra_args(false);
  }
}

void add_commands(CLI::App& app, CommandContext& context) {
  add_group(app, context, command_groups[0], {add_lessons});
  add_group(app, context, command_groups[1],
            {add_next, add_start, add_check, add_hint, add_explain, add_solution, add_progress});
  add_group(app, context, command_groups[2], {add_demo, add_exercise, add_grade, add_class});
  add_group(app, context, command_groups[3],
            {add_list, add_show, add_inspect, add_estimate, add_run, add_bench, add_report});
  add_group(app, context, command_groups[4], {add_doctor, add_editor});
  add_group(app, context, command_groups[5], {add_watch, add_diff, add_limits});
  add_group(app, context, "", {add_completions, add_man_page});  // for installers
  add_exercises_options(app);
}

// Obeys and removes --no-pager, which may stand anywhere: every command takes it.
std::vector<std::string> without_pager_option(std::vector<std::string> words) {
  if (std::erase(words, "--no-pager") > 0) forbid_pager();
  return words;
}

// Turns "gpulab help matmul" into "gpulab matmul --help".
std::vector<std::string> without_help_command(std::vector<std::string> words) {
  if (words.size() < 2 || words[1] != "help") return words;
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

std::string requested_help(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? overview(app) : help_of(*chosen.front());
}

// Removes "--", at which CLI11 would end a command that has enough files. For run, also removes all words
// after "--" and translates nvcc's options before it. The commands run and report look for "--" in the words
// as typed.
std::vector<std::string> words_to_parse(std::vector<std::string> words) {
  if (words.size() < 2 || words[1] != "run") {
    std::erase(words, "--");
    return words;
  }
  words.erase(std::ranges::find(words, "--"), words.end());
  return translated_from_nvcc(words).of_run;
}

ExitCode parse_and_act(CLI::App& app, const CommandContext& context) {
  const std::vector<std::string> joined = with_negative_values_joined(words_to_parse(context.words));
  try {
    app.parse(
        std::vector<std::string>(joined.rbegin(), joined.rend() - 1));  // CLI11 takes the words in reverse
  } catch (const CLI::CallForVersion& version) {
    ReportOutput({}).write(std::string(version.what()) + "\n");
    return ExitCode::ok;
  } catch (const CLI::Success&) {
    print(requested_help(app));
    return ExitCode::ok;
  } catch (const CLI::ArgumentMismatch& error) {
    refuse_leftovers(app);  // the value of an unknown option counts as an argument
    refuse_count_of_values(error.what());
  } catch (const CLI::RequiredError&) {
    refuse_missing_argument(app);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  refuse_leftovers(app);
  refuse_options_as_values(app);
  run::require_usable_environment();
  if (context.action) return context.action();
  ReportOutput({}).write(welcome_text());
  return ExitCode::ok;
}

// Answers "gpulab complete WORDS... UNFINISHED" from a shell's completions: prints one candidate per line.
ExitCode complete(CLI::App& app, CommandContext& context) {
  const std::string unfinished = context.words.back();
  context.words.pop_back();
  context.words.erase(context.words.begin() + 1);
  try {
    use_requested_exercises(context.words);
  } catch (const Error&) {  // the command itself will report it
  }
  add_commands(app, context);
  std::string text;
  for (const Candidate& candidate :
       candidates(app, {context.words.begin() + 1, context.words.end()}, unfinished))
    text += candidate.word + (candidate.description.empty() ? "" : "\t" + candidate.description) + "\n";
  ReportOutput({}).write(text);
  return ExitCode::ok;
}

[[noreturn]] void restart(std::vector<std::string> words) {
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
  CLI::App app(program_description, "gpulab");
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", version_text(), "print the version, its revision and compilers");
  app.require_subcommand(0, 1);
  app.add_flag("--no-pager")->description("print long output without a pager");
  CommandContext context{.words = without_help_command(without_pager_option(words)), .action = {}};
  if (words.size() > 2 && words[1] == "complete") return complete(app, context);
  refuse_empty_word(context.words);
  use_requested_exercises(context.words);
  add_commands(app, context);
  const EarlierOutputs earlier(app, context.words);
  refuse_unknown_first_word(app, context.words);
  try {
    return parse_and_act(app, context);
  } catch (const Restart& wanted) {
    restart(wanted.words);
  }
}

void set_action(CLI::App& command, CommandContext& context, std::function<ExitCode()> action) {
  command.callback([&context, action = std::move(action)] { context.action = action; });
}

void shorten_time_limit() {
  ::setenv("GPULAB_TIME_LIMIT", "5", /*overwrite=*/0);
}

std::string version_text() {
  const BuildFacts& facts = build_facts();
  return fmt::format("gpulab {} (revision {}, {} build)\nhost compiler: {}\nCUDA Toolkit: {}", facts.version,
                     facts.revision, facts.build_type, facts.compiler,
                     facts.cuda_toolkit.empty() ? "none, simulator only" : facts.cuda_toolkit);
}

}  // namespace gpulab::cli
