#pragma once

#include <string>
#include <vector>

#include "core/defect.hpp"
#include "core/error.hpp"
#include "core/inspection.hpp"
#include "core/program.hpp"
#include "core/result.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// What was seen of a program, for the end of its own output. Nothing of one that was not watched and ended
// well.
std::string program_text(const ProgramResult& result, const TextStyle& style);

// The same as a document.
std::string program_json(const ProgramResult& result);

// The same as checks say it, for the formats that they have: one for each file in which something was found,
// the program's first file among them.
std::vector<CheckResult> as_checks(const ProgramResult& result);

// A program that does not compile, as a document's result and as a check has it.
ProgramResult that_does_not_compile(const std::string& file, const CompileError& error);
CheckResult as_check(const std::string& file, const CompileError& error);

// What all launches of a kernel asked of memory, as lessons show it.
VariantInspection as_inspection(const ProgramResult& result, const KernelCounts& counts);

}  // namespace gpulab::report
