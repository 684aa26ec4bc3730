#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "sandbox/sandbox.hpp"
#include "source/program_files.hpp"

namespace gpulab::program {

// The headers of CUDA as programs include them, and the list of names that are missing. Embedded at build
// time.
const std::vector<EmbeddedFile>& program_headers();

// A program as a shared object, with its main(), its kernels and all else that is its own.
struct CompiledProgram {
  std::filesystem::path shared_object;
  std::string main_file;             // the bare name that its lines are known by
  std::vector<std::string> kernels;  // names declared __global__
  std::vector<source::SourceFile> sources;
};

// Compiles host and device code in one piece, in a confined process. The file stays in the cache. Throws
// CompileError: what the compiler refuses, with lines and columns of the program's files, and what of CUDA is
// missing, by its name; DeviceError when there is no C++ compiler. What its kernels are compiled with for
// that.
device::Instrumentation instrumentation_for(ProgramWatch watch);

CompiledProgram compile(const std::vector<source::SourceFile>& sources, const source::BuildOptions& options,
                        ProgramWatch watch, sandbox::Mode mode, device::CompileCache& cache);

// What of CUDA the program names and the simulated device does not have, as one sentence with the first of
// them, its line, and how many more there are; empty if there is nothing. The line of the first.
struct Missing {
  std::string sentence;
  std::string file;
  int line = 0;
};
Missing missing_in(const std::vector<source::SourceFile>& sources);

// What a program may be made of that an exercise judges. It runs in the process that sees what it does, so it
// has no machine code of its own, switches no watching off, and reaches the system by nothing but the
// functions of C and C++ that compute, print and take memory. A program that somebody runs is not asked.

// Throw CompileError with the line. All branches of the text are read, and the words that it defines; words
// that only come about when they are joined are refused with what joins them.
void require_exercise_text(const source::SourceFile& source);
void require_exercise_object(const source::SourceFile& source, const CompiledProgram& compiled);

// Compiles the files with nvcc for this machine's GPU and runs the program here, as if both had been typed.
// Returns its exit status, as a shell has it. Throws CompileError with nvcc's messages; DeviceError where
// there is no nvcc.
int run_with_nvcc(const source::BuildOptions& options, const std::vector<std::string>& arguments);

// The same of a program of one file, whose text is given. What it prints is kept.
sandbox::CommandResult run_kept_with_nvcc(const std::string& file, const std::string& text,
                                          const std::vector<std::string>& arguments);

}  // namespace gpulab::program
