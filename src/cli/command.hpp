#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::cli {

// What the program does, and what its exit codes mean: for --help and for the man page.
extern const char* const what_gpulab_is;
struct ExitCodeText {
  ExitCode code;
  const char* meaning;
};
extern const std::vector<ExitCodeText> exit_codes;

// The groups of subcommands, in the order in which they are shown.
extern const std::vector<std::string> command_groups;

// What `gpulab` alone prints: what to type first.
std::string first_words();

// What `gpulab --help` prints: every subcommand in one line, in its group.
std::string overview(const CLI::App& app);

// "gpulab show LESSON [VARIANT...] [options]"
std::string usage_of(const CLI::App& command);

// What `gpulab COMMAND --help` prints.
std::string help_of(const CLI::App& command);

// The part of a lesson's help behind its options: its text and its variants.
std::string about(const Lesson& lesson);

using Row = std::pair<std::string, std::string>;  // a name, and what it means

// The width of the column that the names need; longer ones than usual have their text below them.
std::size_t width_of_names(const std::vector<Row>& rows);

// A column of names and, beside it, what they mean.
std::string rows_text(const std::vector<Row>& rows, std::size_t width_of_names);
inline std::string rows_text(const std::vector<Row>& rows) {
  return rows_text(rows, width_of_names(rows));
}

// The words that an option takes, where they are listed in its declaration; else none.
std::vector<std::string> choices_of(const CLI::Option& option);

// "--size N", "--format WORD": an option as it is typed.
std::string spelling_of(const CLI::Option& option);

// What it means: its description, with the words that it takes.
std::string meaning_of(const CLI::Option& option);

// The subcommands of a group, hidden ones in none.
std::vector<const CLI::App*> commands_in(const CLI::App& app, const std::string& group);

struct Candidate {
  std::string word, description;
};

// In place of a word: the shell completes the names of files, or of folders.
constexpr const char* any_file = ":files";
constexpr const char* any_folder = ":folders";

// What may stand where a word is unfinished, behind the words that are finished ("gpulab" itself is not among
// them). Made from the commands, their options and the words that these take.
std::vector<Candidate> candidates(const CLI::App& app, const std::vector<std::string>& words,
                                  const std::string& unfinished);

// What bash, zsh or fish has to read. It asks `gpulab complete WORDS... UNFINISHED` at each completion.
std::string completion_script(const std::string& shell);

// Thrown to have the program begin again with these words, in place of this process: a fault on a GPU leaves
// a process that can never use one again.
struct StartAnew {
  std::vector<std::string> words;
};

// What the whole command line shares with the subcommand that is chosen.
struct CommandContext {
  std::vector<std::string> words;    // as typed
  std::function<ExitCode()> action;  // what the chosen subcommand does, once everything is parsed
};

// One function for each subcommand: each puts its grammar into the app.
void add_list(CLI::App& app, CommandContext& context);
void add_demo(CLI::App& app, CommandContext& context);
void add_kernels(CLI::App& app, CommandContext& context);
void add_show(CLI::App& app, CommandContext& context);
void add_inspect(CLI::App& app, CommandContext& context);
void add_run(CLI::App& app, CommandContext& context);
void add_devices(CLI::App& app, CommandContext& context);
void add_compare(CLI::App& app, CommandContext& context);
void add_report(CLI::App& app, CommandContext& context);
void add_bench(CLI::App& app, CommandContext& context);
void add_ab(CLI::App& app, CommandContext& context);
void add_crossover(CLI::App& app, CommandContext& context);
void add_limits(CLI::App& app, CommandContext& context);
void add_doctor(CLI::App& app, CommandContext& context);
void add_start(CLI::App& app, CommandContext& context);
void add_check(CLI::App& app, CommandContext& context);
void add_hint(CLI::App& app, CommandContext& context);
void add_watch(CLI::App& app, CommandContext& context);
void add_solution(CLI::App& app, CommandContext& context);
void add_diff(CLI::App& app, CommandContext& context);
void add_reset(CLI::App& app, CommandContext& context);
void add_progress(CLI::App& app, CommandContext& context);
void add_next(CLI::App& app, CommandContext& context);
void add_grade(CLI::App& app, CommandContext& context);
void add_class(CLI::App& app, CommandContext& context);
void add_editor(CLI::App& app, CommandContext& context);
void add_completions(CLI::App& app, CommandContext& context);
void add_man_page(CLI::App& app, CommandContext& context);
void add_lessons(CLI::App& app, CommandContext& context);

// Runs the subcommand that the words name (the program's own name first) and returns what the process ends
// with. Results go to stdout, everything else to stderr. Throws Error, in one sentence, for what cannot be
// done.
ExitCode run_command_line(const std::vector<std::string>& words);

// What --version prints: the version, the git revision, the compilers and CUDA.
std::string version_text();

}  // namespace gpulab::cli
