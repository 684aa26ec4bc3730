#pragma once

#include <string>
#include <vector>

#include "program/sources.hpp"

namespace gpulab::program {

// Compiles the files with nvcc for this machine's GPU and runs the program here, as if both had been typed. Returns its
// exit status, as a shell has it. Throws CompileError with nvcc's messages; DeviceError where there is no nvcc.
int run_with_nvcc(const BuildOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpulab::program
