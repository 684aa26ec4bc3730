#pragma once

#include <string>

namespace gpulab {

// What --version prints: the version, the git revision, the compilers and CUDA.
std::string version_text();

}  // namespace gpulab
