#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "lesson/lesson.hpp"

// Types of CLI11. Its header takes seconds to compile, so only files that add options include it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gpulab::cli {

// Description of the program and meanings of its exit codes, for --help and for the man page.
extern const char* const program_description;
struct ExitCodeText {
  ExitCode code;
  const char* meaning;
};
extern const std::vector<ExitCodeText> exit_codes;

// Groups of subcommands, in the order in which they are shown. The last one is not in --help.
extern const std::vector<std::string> command_groups;

// Returns what `gpulab` prints without arguments: the first commands to type.
std::string welcome_text();

// Returns what `gpulab --help` prints: one line for each subcommand, by group.
std::string overview(const CLI::App& app);

// Returns the usage line of a command: "gpulab show LESSON [VARIANT...] [options]".
std::string usage_of(const CLI::App& command);

// Returns what `gpulab COMMAND --help` prints.
std::string help_of(const CLI::App& command);

// Returns the part of a lesson's help after its options: its text and its variants.
std::string lesson_footer(const Lesson& lesson);

using Row = std::pair<std::string, std::string>;  // a name, and what it means

// Returns the width of the column of names; the text of a longer name goes below it.
std::size_t width_of_names(const std::vector<Row>& rows);

// Formats a column of names and, beside it, their meanings.
std::string rows_text(const std::vector<Row>& rows, std::size_t width_of_names);
inline std::string rows_text(const std::vector<Row>& rows) {
  return rows_text(rows, width_of_names(rows));
}

// Returns the words that an option takes, if its declaration lists them.
std::vector<std::string> choices_of(const CLI::Option& option);

// Returns an option as it is typed: "--size N", "--format WORD".
std::string spelling_of(const CLI::Option& option);

// Returns the description of an option, with the words that it takes.
std::string meaning_of(const CLI::Option& option);

// Returns the subcommands of a group; those for installers are in no group.
std::vector<const CLI::App*> commands_in(const CLI::App& app, const std::string& group);

struct Candidate {
  std::string word, description;
};

// Words of a candidate that stand in for names of files, or of folders: the shell completes these itself.
constexpr const char* any_file = ":files";
constexpr const char* any_folder = ":folders";

// Returns the completions of `unfinished`, the word that follows `words` (without "gpulab"): commands,
// options and the words that options take.
std::vector<Candidate> candidates(const CLI::App& app, const std::vector<std::string>& words,
                                  const std::string& unfinished);

// Returns the script for bash, zsh or fish. It asks `gpulab complete WORDS... UNFINISHED` at each completion.
std::string completion_script(const std::string& shell);

// Exception that starts the program again with these words: after a fault, this process cannot use a GPU.
struct Restart {
  std::vector<std::string> words;
};

// State that the command line shares with the chosen subcommand.
struct CommandContext {
  std::vector<std::string> words;    // as typed
  std::function<ExitCode()> action;  // what the chosen subcommand does, once everything is parsed
};

// Makes this what the command does, once everything is parsed.
void set_action(CLI::App& command, CommandContext& context, std::function<ExitCode()> action);

// Lets a kernel run for 5 s without progress, and not for 60, unless GPULAB_TIME_LIMIT says how long: people
// edit kernels before a class, and a new loop may not end.
void shorten_time_limit();

// Each function adds one subcommand, with its arguments and options, to the app.
void add_list(CLI::App& app, CommandContext& context);
void add_demo(CLI::App& app, CommandContext& context);
void add_explain(CLI::App& app, CommandContext& context);
void add_show(CLI::App& app, CommandContext& context);
void add_inspect(CLI::App& app, CommandContext& context);
void add_estimate(CLI::App& app, CommandContext& context);
void add_run(CLI::App& app, CommandContext& context);
void add_report(CLI::App& app, CommandContext& context);
void add_bench(CLI::App& app, CommandContext& context);
void add_limits(CLI::App& app, CommandContext& context);
void add_doctor(CLI::App& app, CommandContext& context);
void add_start(CLI::App& app, CommandContext& context);
void add_check(CLI::App& app, CommandContext& context);
void add_hint(CLI::App& app, CommandContext& context);
void add_watch(CLI::App& app, CommandContext& context);
void add_solution(CLI::App& app, CommandContext& context);
void add_diff(CLI::App& app, CommandContext& context);
void add_progress(CLI::App& app, CommandContext& context);
void add_next(CLI::App& app, CommandContext& context);
void add_grade(CLI::App& app, CommandContext& context);
void add_class(CLI::App& app, CommandContext& context);
void add_exercise(CLI::App& app, CommandContext& context);
void add_editor(CLI::App& app, CommandContext& context);
void add_completions(CLI::App& app, CommandContext& context);
void add_man_page(CLI::App& app, CommandContext& context);
void add_lessons(CLI::App& app, CommandContext& context);

// Uses the exercises that --exercises, GPULAB_EXERCISES or the progress of this folder names, if the command
// is one for exercises. Call it before commands are added, because the lessons of exercises have options.
void use_requested_exercises(const std::vector<std::string>& words);
// Returns whether a word names a folder, rather than a lesson.
bool names_a_folder(const std::string& word);

// A folder with exercises.
struct NamedFolder {
  std::string path;      // empty for none
  std::string named_by;  // for messages: "--exercises", "GPULAB_EXERCISES" or a file
};
// Uses the exercises of a folder, if one is named: instead of the course's or, `with_course`, before them.
// Returns the names of the folder's exercises.
std::vector<std::string> use_folder_of_exercises(const NamedFolder& folder, bool with_course);
// Returns the text of a class.toml; empty if no file is named. Throws if there is no such file.
std::string rules_text(const std::filesystem::path& class_toml);
// Uses the exercises of the folder that class.toml names; `rules` is its text. If it names none, uses those
// of the folder that GPULAB_EXERCISES or the progress of this folder names.
void use_exercises_of_class(const std::filesystem::path& class_toml, const std::string& rules,
                            bool with_course);
// Returns the folder of an instructor's own exercise; none for a lesson of the course.
std::optional<std::filesystem::path> folder_of_own_exercise(const Lesson& lesson);
// Adds --exercises to the commands for exercises, for --help: it is read before they are parsed.
void add_exercises_options(CLI::App& app);

// Runs the subcommand that the words name (the program's own name first) and returns the exit code. Results
// go to stdout, everything else to stderr. Throws Error, in one sentence, for what cannot be done.
ExitCode run_command_line(const std::vector<std::string>& words);

// Returns what --version prints: the version, the git revision, the compilers and CUDA.
std::string version_text();

}  // namespace gpulab::cli
