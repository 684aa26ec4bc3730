#pragma once

#include <string>

namespace gpulab {

// The name that a symbol has in C++, a function's with its parameters: "scale(float const*, int)". A symbol
// that is not mangled is its own name.
std::string demangled_name(const std::string& symbol);

}  // namespace gpulab
