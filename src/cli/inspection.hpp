#pragma once

#include <string>

#include "core/inspection.hpp"
#include "run/run_options.hpp"

// What the commands inspect and show --annotate have in common.

namespace gpulab::cli {

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
