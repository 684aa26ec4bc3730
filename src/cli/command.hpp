#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace gpulab {

// What the whole command line shares with the subcommand that is chosen.
struct CommandContext {
  std::vector<std::string> words;    // as typed
  std::function<ExitCode()> action;  // what the chosen subcommand does, once everything is parsed
};

// One function per subcommand: each puts its grammar into the app.
void add_list(CLI::App& app, CommandContext& context);
void add_show(CLI::App& app, CommandContext& context);
void add_inspect(CLI::App& app, CommandContext& context);
void add_devices(CLI::App& app, CommandContext& context);
void add_bench(CLI::App& app, CommandContext& context);
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
void add_lessons(CLI::App& app, CommandContext& context);

}  // namespace gpulab
