#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace gpulab::cli {

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
