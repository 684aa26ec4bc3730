#pragma once

#include "program/process.hpp"

namespace gpulab::program {

// Adds what the process that ran the program could not report: what its text and its end show.
void add_further_findings(const CompiledProgram& program, const RunOptions& options, ProgramResult& result);

}  // namespace gpulab::program
