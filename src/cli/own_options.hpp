#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "cli/lesson_options.hpp"
#include "core/lesson.hpp"

// The options that only one lesson has.

namespace gpulab {

// Puts the option into the lesson's command; what is typed goes to words.own.
void add_own_option(CLI::App& command, const Option& option, LessonWords& words);

// The value of every option of the lesson, as typed or as usual. Throws UsageError, in one sentence, for what
// the option cannot be.
std::map<std::string, OptionValue> own_option_values(const Lesson& lesson,
                                                     const std::map<std::string, std::string>& typed);

}  // namespace gpulab
