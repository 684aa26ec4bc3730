#pragma once

#include <string>

#include "core/check_result.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// What checks the file again: "gpulab check shared_histogram.cu"
std::string check_command(const CheckResult& result);

// What shows the same again, on the simulator; empty for what was never run.
std::string reproduce_command(const CheckResult& result);

// What to do after a check. What failed ends with the file to edit and the command to type then.
std::string next_commands(const CheckResult& result, const TextStyle& style);

}  // namespace gpulab
