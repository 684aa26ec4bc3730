#pragma once

#include <filesystem>
#include <vector>

#include "source/program_files.hpp"

namespace gpulab::program {

// Refuses a kernel that reaches a variable or a function of the host, as the compiled program shows: its
// references, and the lines of its code. nvcc refuses these, a C++ compiler does not. Throws CompileError
// with the line to change.
void check_sides_of_object(const std::filesystem::path& object,
                           const std::vector<source::SourceFile>& sources);

}  // namespace gpulab::program
