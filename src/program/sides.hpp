#pragma once

#include "program/sources.hpp"

namespace gpulab::program {

// What nvcc refuses and a C++ compiler does not, because a program is compiled in one piece: a kernel that
// calls a function of the host, or uses its variables, and the reverse. Throws CompileError with the line to
// change. Understands functions and variables outside of classes; of what it does not understand it says
// nothing.
void check_sides(const std::vector<SourceFile>& sources);

}  // namespace gpulab::program
