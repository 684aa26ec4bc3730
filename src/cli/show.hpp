#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lesson/result.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {

// The files before and after "--".
struct Sides {
  std::vector<std::filesystem::path> before, now;
};

// Behind "--" everything is a file. The parser takes that word away, so it is looked for among those that
// were typed. Without it there is nothing on the side of now. Throws UsageError, which ends with the form,
// for an empty side, a second "--", and options behind it.
Sides sides_of(const std::vector<std::filesystem::path>& files, const std::vector<std::string>& typed,
               const std::string& form);

// What the commands inspect and show --annotate have in common.

// What is printed of an inspection, and what the process ends with.
struct InspectionReport {
  ExitCode exit_code = ExitCode::ok;
  std::string failures;  // for stderr
  std::string text;      // for stdout
};

InspectionReport report_of(const Inspection& inspection, std::string text);

// Inspects the variants that the options choose, and shows on a terminal how far it is.
Inspection inspect_on_simulator(const Lesson& lesson, run::RunOptions options);

// Prints the report, and returns its exit code.
ExitCode finish(const InspectionReport& report, bool is_json);

}  // namespace gpulab::cli
