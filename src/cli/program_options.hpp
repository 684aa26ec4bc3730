#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/lesson_options.hpp"
#include "cli/options.hpp"
#include "lesson/exercise.hpp"
#include "source/program_files.hpp"

namespace gpulab::cli {

// Options of `gpulab run`, with the words that CLI11 does not parse.
struct ProgramOptions {
  source::BuildOptions build;
  std::string device = "simulator";
  std::string sandbox = "auto";
  std::string format = "text";
  std::string gpu = default_gpu;  // to predict times on, with --inspect
  std::optional<std::filesystem::path> output;
  bool is_plain = false;            // runs fast, and defects are not looked for
  bool is_inspected = false;        // accesses are counted
  bool is_watching = false;         // runs again at every save
  bool is_debugged = false;         // runs in gdb
  bool is_strict = false;           // leaks and constants that are never set are defects
  bool checks_every_block = false;  // races are looked for in every block of large launches
  PictureOptions pictures;
  int gpus = 1;                      // simulated devices
  std::string breakpoint;            // as gdb takes it
  std::vector<std::string> allowed;  // findings that fail no run: KIND, KIND:LINE or KIND:FILE:LINE
  std::string typed;                 // what follows "gpulab run", as a shell reads it
  std::vector<std::string> arguments;
  std::string ignored_nvcc_options;  // those without an effect on the simulated device, with reasons

  ProgramWatch watch() const {
    if (is_inspected) return ProgramWatch::accesses;
    return is_plain ? ProgramWatch::nothing : ProgramWatch::defects;
  }
};

// Way to run a program: once on the simulated device, there again at every save, there in gdb, or on a GPU.
enum class RunMode : unsigned char { simulate, watch, debug, nvcc };

RunMode mode_of(const ProgramOptions& options);

// Takes the words that CLI11 does not parse: nvcc's options, and the arguments after "--".
void take_unparsed_words(const std::vector<std::string>& typed, ProgramOptions& options);

// Returns whether a word of --allow names the finding.
bool is_allowed(const ProgramFinding& finding, const ProgramOptions& options);

// Prints a line on stderr for each word of --allow that has a line number and names no finding.
void tell_what_allows_nothing(const ProgramReport& report, const ProgramOptions& options);

// Returns the kinds that a finding may have, sorted.
std::vector<std::string> kinds_of_findings();

// Throws UsageError if a word of --allow names no kind, or has no line number after its colon.
void refuse_unknown_kinds(const std::vector<std::string>& allowed);

// Throws UsageError, which says what to leave out or to add, for options that exclude each other.
void refuse_options_that_exclude_others(const ProgramOptions& options);

}  // namespace gpulab::cli
