#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/program.hpp"
#include "core/registry.hpp"
#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "program/sources.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::program {

// The headers of CUDA as programs include them, and the list of names that are missing. Embedded at build
// time.
const std::vector<EmbeddedFile>& program_headers();

// A program as a shared object, with its main(), its kernels and all else that is its own.
struct CompiledProgram {
  std::filesystem::path shared_object;
  std::string main_file;             // the bare name that its lines are known by
  std::vector<std::string> kernels;  // names declared __global__
};

// Compiles host and device code in one piece, in a confined process. The file stays in the cache. Throws
// CompileError: what the compiler refuses, with lines and columns of the program's files, and what of CUDA is
// missing, by its name; DeviceError when there is no C++ compiler. What its kernels are compiled with for
// that.
device::Instrumentation instrumentation_for(ProgramWatch watch);

CompiledProgram compile(const std::vector<SourceFile>& sources, const BuildOptions& options,
                        ProgramWatch watch, sandbox::Mode mode, device::CompileCache& cache);

// What of CUDA the program names and the simulated device does not have, as one sentence with the first of
// them, its line, and how many more there are; empty if there is nothing. The line of the first.
struct Missing {
  std::string sentence;
  std::string file;
  int line = 0;
};
Missing missing_in(const std::vector<SourceFile>& sources);

}  // namespace gpulab::program
