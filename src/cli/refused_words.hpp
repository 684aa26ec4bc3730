#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpulab::cli {

// Refusals of words that a command line cannot have. Each throws UsageError with what to type.

// Refuses an empty argument from `first` up to "--", as in "gpulab report $OLD new.json" with quotes and
// without an OLD. What follows a "--" is the program's own, except in gpulab report.
void refuse_empty_word(const std::vector<std::string>& words, std::size_t first = 1);

// Refuses a first word that is no lesson or command, and suggests the nearest name, which CLI11 does not do.
void refuse_unknown_first_word(const CLI::App& app, const std::vector<std::string>& words);

// Refuses words that the subcommand does not take. CLI11 leaves them to us, since commands allow extras.
void refuse_leftovers(const CLI::App& app);

// Refuses an option with too many values or none. CLI11's message begins with the option and a colon.
[[noreturn]] void refuse_count_of_values(const std::string& message);

// Refuses a command that lacks an argument. The message has the usage and the values of the argument.
[[noreturn]] void refuse_missing_argument(const CLI::App& app);

// Refuses an option whose value is the next option, as in "--output $OUT --quiet" with an empty OUT.
void refuse_options_as_values(const CLI::App& app);

}  // namespace gpulab::cli
