#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lesson/exercise.hpp"
#include "source/code.hpp"

namespace gpulab::source {

// What a program is made of, as a command line says it.
struct BuildOptions {
  std::vector<std::filesystem::path> files;            // .cu, .cpp
  std::vector<std::filesystem::path> include_folders;  // -I
  std::vector<std::string> definitions;                // -D: "N=100"
};

struct SourceFile {
  std::string name;            // as the user knows it: as it was given or, of a header, by its bare name
  std::filesystem::path path;  // where it is
  Code code;             // with its directives for files of the program as they will be found: "../3/sum.cuh"
  bool is_unit = false;  // given, and not included
};

// The files of a program and, of the files that they include in quotes or from an include folder, all that
// are in one of their folders. The first is the one that reports are about. Throws UsageError for a file that
// cannot be read, or is no text.
std::vector<SourceFile> read_sources(const BuildOptions& options);

// Where a file is put to be compiled, beside the others: "3/sum.cuh".
std::string place_of(const std::vector<SourceFile>& sources, std::size_t number);

// Names of other headers that the files include: the system's and CUDA's.
std::vector<std::string> foreign_headers(const std::vector<SourceFile>& sources);

// Fills in the text of each line that the report names.
// Also drops findings whose premise does not hold.
void find_source_lines(const std::vector<SourceFile>& sources, ProgramReport& report);

}  // namespace gpulab::source
