#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "sandbox/sandbox.hpp"
#include "source/program_files.hpp"

namespace gpulab::program {

// Returns the CUDA headers that programs include, and the list of missing names, embedded at build time.
const std::vector<EmbeddedFile>& program_headers();
std::string header_text(std::string_view name);

// A program compiled to a shared object, with its main(), its kernels and everything else of its own.
struct CompiledProgram {
  std::filesystem::path shared_object;
  std::string main_file;             // its bare name, as in the debug lines
  std::vector<std::string> kernels;  // names declared __global__
  std::vector<source::SourceFile> sources;
  WarpSize warp_size = {};
  std::vector<ProgramFinding> findings = {};        // by the compiler
  std::vector<SourcePlace> discarded_results = {};  // calls whose result is not used
  bool has_extended_lambdas = false;                // nvcc's option is given
};

// Returns the instrumentation that kernels need for that kind of watching.
device::Instrumentation instrumentation_for(ProgramWatch watch);

// All errors in the text of a program. The exception's sentence is about the first.
class TextErrors : public CompileError {
 public:
  struct TextError {
    std::string file;  // empty for the main file
    int line = 0, column = 0;
    std::string text;
  };
  TextErrors(const CompileError& error, std::vector<TextError> all)
      : CompileError(error), all_(std::move(all)) {}
  const std::vector<TextError>& all() const { return all_; }

 private:
  std::vector<TextError> all_;
};

// A use of a function or a variable that none of the files defines.
class UndefinedName : public CompileError {
 public:
  UndefinedName(const CompileError& error, std::string name) : CompileError(error), name_(std::move(name)) {}
  const std::string& name() const { return name_; }  // demangled

 private:
  std::string name_;
};

// Compiles host and device code in one piece, in a confined process. The shared object stays in the cache.
// Throws CompileError with lines and columns of the program's files, or with the missing names of CUDA;
// DeviceError if there is no C++ compiler.
CompiledProgram compile(const std::vector<source::SourceFile>& sources, const source::BuildOptions& options,
                        ProgramWatch watch, sandbox::Mode mode, device::CompileCache& cache);

}  // namespace gpulab::program
