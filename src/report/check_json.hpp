#pragma once

#include <string>
#include <vector>

#include "core/check_result.hpp"

namespace gpulab {

// Every check, as one document with "schema": "gpulab.check"; null for what is not known.
std::string check_json(const std::vector<CheckResult>& results, ExitCode exit_code);

}  // namespace gpulab
