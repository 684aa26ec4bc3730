#pragma once

#include <string>

namespace gpulab {

// The text of a kernel file with comments and the insides of literals blanked; lines keep their places.
std::string bare_code(const std::string& text);

}  // namespace gpulab
