#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lesson/exercise.hpp"
#include "source/code.hpp"

namespace gpulab::source {

// Files and options of a program, as on a command line.
struct BuildOptions {
  std::vector<std::filesystem::path> files;            // .cu, .cpp
  std::vector<std::filesystem::path> include_folders;  // -I
  std::vector<std::filesystem::path> included_before;  // --pre-include: included before each file
  std::vector<std::string> definitions;                // -D: "N=100"
  std::vector<std::string> undefined;                  // -U
  std::string standard = "c++17";                      // --std
  std::vector<std::filesystem::path> library_folders;  // -L
  std::vector<std::string> libraries;                  // -l: "m"
  unsigned warp_size = 0;                              // lanes of a warp; 0: 64 for HIP, 32 for CUDA
  bool is_debugged = false;                            // compiled without optimisation, for gdb
  bool may_use_toolkit = false;           // compile libraries with the CUDA Toolkit's headers, if installed
  std::vector<std::string> nvcc_options;  // others that nvcc knows: "-Xcompiler=-fopenmp"
};

struct SourceFile {
  std::string name;              // for messages: as given or, for a header, its path from the current folder
  std::filesystem::path path;    // absolute
  Code code;                     // with #includes of the program's files as "3/sum.cuh"
  bool is_unit = false;          // a translation unit: given on the command line
  bool is_pre_included = false;  // by --pre-include, before each unit
};

// Returns the files of a program and those that they include. An #include in quotes is searched first in the
// folder of its file, then, as any other, in the include folders. The first file is the main file of reports.
// Throws UsageError for a file that cannot be read or is not text.
std::vector<SourceFile> read_sources(const BuildOptions& options);

// Returns the path to which a file is written to be compiled, within the build's folder: "3/sum.cuh".
std::string build_path_of(const std::vector<SourceFile>& sources, std::size_t number);

// Throws CompileError for a line of that file, without it if it is 0.
[[noreturn]] void refuse(const std::vector<SourceFile>& sources, std::size_t number, int line,
                         const std::string& why);

// Returns the names of the headers that the files include from elsewhere: the system's and CUDA's.
std::vector<std::string> foreign_headers(const std::vector<SourceFile>& sources);

}  // namespace gpulab::source
