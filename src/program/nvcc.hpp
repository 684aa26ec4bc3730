#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "lesson/estimate.hpp"
#include "sandbox/sandbox.hpp"
#include "source/program_files.hpp"

namespace gpulab::program {

// Returns the path of nvcc, from PATH or else in the toolkit's folder; none if there is no nvcc.
std::optional<std::filesystem::path> find_nvcc();

// A program as nvcc compiled it for a GPU that may not be here.
struct GpuCode {
  InstructionOrigin origin = InstructionOrigin::no_nvcc;
  std::vector<std::string> files;    // of the program, the main file first, as the PTX names them
  std::vector<std::string> ptx;      // of each file with device code
  std::vector<std::string> reports;  // ptxas's, of the same files
  std::string error = {};            // nvcc's first, if it refuses the program
};

// Compiles a program with nvcc in a separate, confined process, while this process does something else.
class GpuCompilation {
 public:
  // Call it before this process starts threads.
  GpuCompilation(const std::vector<source::SourceFile>& sources, const source::BuildOptions& options,
                 const std::string& architecture, sandbox::Mode mode);
  // Waits for the code. Call it once. If nvcc refuses the program, its messages are lost.
  GpuCode wait();

 private:
  bool has_nvcc_;
  ChildWork work_;
};

// Compiles the files with nvcc for this machine's GPU and runs the program here, as if a user had typed both
// commands. Returns its exit status as a shell reports it. Throws CompileError with nvcc's messages, and
// DeviceError if there is no nvcc.
int run_with_nvcc(const source::BuildOptions& options, const std::vector<std::string>& arguments);

// Compiles and runs a program of one file, given as text, in the same way, and returns its output.
sandbox::CommandResult run_captured_with_nvcc(const std::string& file, const std::string& text,
                                              const std::vector<std::string>& arguments);

}  // namespace gpulab::program
