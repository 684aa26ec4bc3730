#pragma once

#include <string>

namespace gpulab {

// Whether it can be a part of a name.
bool is_of_a_word(char letter);

// The text of a kernel file with comments and the insides of literals blanked; lines keep their places.
std::string bare_code(const std::string& text);

}  // namespace gpulab
