#pragma once

#include <string>
#include <vector>

#include "core/program.hpp"
#include "core/result.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// What was seen of a program, for the end of its own output.
std::string program_text(const ProgramResult& result, const TextStyle& style);

// As a check says it, for the formats that checks have.
CheckResult as_check(const ProgramResult& result);

}  // namespace gpulab::report
