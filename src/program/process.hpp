#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/program.hpp"
#include "program/compiler.hpp"
#include "sandbox/sandbox.hpp"
#include "sandbox/stop_request.hpp"

namespace gpulab::program {

// Of a program that is judged by what it prints: its input is empty, its output is kept, 1 MiB at most, and
// there is no file and no process that it could reach.
struct Kept {
  double time_limit_s = 10;
  sandbox::StopRequest stop = {};
  bool keeps_copies = false;  // so that the report has what went to the device and came back
};

struct RunOptions {
  ProgramWatch watch = ProgramWatch::defects;
  std::string name;                    // of the program, its argv[0]
  std::vector<std::string> arguments;  // behind it
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  std::optional<Kept> kept = {};
};

// Why a program may use no file of the current folder, which is more than a program's. None where it may.
std::optional<std::string> folder_refused_to_programs();

// Runs main() in a process of its own, which is confined before it loads the program: it may read the
// system's files, read and write those of the current folder, and reach no network and no other process.
// Input, output and the environment are this process's, unless they are kept; what a confined program writes
// to a terminal is shown without sequences that do more than that. Throws Error where this machine cannot
// confine and must, and WorkStopped.
ProgramResult run(const CompiledProgram& program, const RunOptions& options);

// What that process does instead of everything else; none if the words do not ask for it.
std::optional<int> run_program_if_asked(const std::vector<std::string>& words);

}  // namespace gpulab::program
