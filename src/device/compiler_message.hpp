#pragma once

#include <string>

#include "core/error.hpp"

namespace gpulab::device {

// The error of a compiler that refused a kernel file. The message is one sentence with the line and the first
// thing that was wrong; the log is all that the compiler printed, under the file's name as the user knows it.
// Understands the forms of GCC and Clang ("file:3:5: error: ..."), of NVRTC ("file(3): error: ...") and of
// its assembler ("ptxas error : ...").
CompileError compile_error(const std::string& file, const std::string& log);

}  // namespace gpulab::device
