#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/lesson.hpp"

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

}  // namespace gpulab::cli
