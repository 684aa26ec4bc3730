#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/comparison.hpp"

namespace gpulab::cli {

// The rules of a comparison as they are typed.
struct ComparisonWords {
  std::optional<std::string> threshold;       // "5%" or "0.05"
  std::optional<std::string> min_difference;  // "1us"
  bool strict = false;
};

// --threshold, --min-difference and --strict. The words must outlive the parsing.
void add_comparison_options(CLI::App& command, ComparisonWords& words);

// Throws UsageError, which names the option, for what is no part or no time.
ComparisonRules rules_of(const ComparisonWords& words);

// How a comparison is reported.
struct ComparisonReport {
  std::string format;
  std::optional<std::filesystem::path> output;
  bool all = false, quiet = false;

  // Writes it, and says what it comes to. Throws UsageError when the file cannot be written.
  ExitCode write(const Comparison& comparison, const std::vector<std::string>& typed) const;
};

void add_comparison_report(CLI::App& command, ComparisonReport& report);

}  // namespace gpulab::cli
