#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/compiler.hpp"
#include "core/program.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::program {

struct RunOptions {
  ProgramWatch watch = ProgramWatch::defects;
  std::string name;                    // of the program, its argv[0]
  std::vector<std::string> arguments;  // behind it
  sandbox::Mode sandbox = sandbox::Mode::automatic;
};

// Runs main() in a process of its own, which is confined before it loads the program: it may read the system's files,
// read and write those of the current folder, and reach no network. Input, output and the environment are this
// process's. Throws Error where this machine cannot confine and must.
ProgramResult run(const CompiledProgram& program, const RunOptions& options);

// What that process does instead of everything else; none if the words do not ask for it.
std::optional<int> run_program_if_asked(const std::vector<std::string>& words);

}  // namespace gpulab::program
