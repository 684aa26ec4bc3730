#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/lesson.hpp"
#include "run/devices.hpp"
#include "run/run_options.hpp"

namespace gpulab {

// One lesson's command line, as it was typed.
struct LessonWords {
  std::optional<std::string> size, block_size;
  std::string device = "auto";
  std::optional<unsigned> device_index;
  std::string format;
  std::optional<std::filesystem::path> output;
  bool quiet = false;
  std::map<std::string, std::string> own;      // the lesson's own options, as typed
  std::optional<std::filesystem::path> trace;  // where the lesson shows a timeline
  RunOptions run;

  DeviceChoice device_choice() const;
};

// Puts the options that say what of the lesson runs into a command: its size, its own options, the variants.
void add_what_runs(CLI::App& command, const Lesson& lesson, LessonWords& words);

// Puts the options of every lesson, and the lesson's own, into its command.
void add_lesson_options(CLI::App& command, const Lesson& lesson, LessonWords& words);

// What the words ask for. Throws UsageError, in one sentence, for what the lesson cannot do.
RunOptions run_options(const Lesson& lesson, const LessonWords& words);

}  // namespace gpulab
