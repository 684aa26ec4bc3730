#pragma once

#include <string>
#include <vector>

#include "program/sources.hpp"
#include "sandbox/command.hpp"

namespace gpulab::program {

// Compiles the files with nvcc for this machine's GPU and runs the program here, as if both had been typed.
// Returns its exit status, as a shell has it. Throws CompileError with nvcc's messages; DeviceError where
// there is no nvcc.
int run_with_nvcc(const BuildOptions& options, const std::vector<std::string>& arguments);

// The same of a program of one file, whose text is given. What it prints is kept.
sandbox::CommandResult run_kept_with_nvcc(const std::string& file, const std::string& text,
                                          const std::vector<std::string>& arguments);

}  // namespace gpulab::program
