#pragma once

#include <cstddef>
#include <string>

namespace gpulab::source {

// Thrown by functions that translate PTX, where something is not translated.
struct NotTranslated {};

// Returns the name of the C++ variable for operand %0, %1 and so on.
std::string variable_of_operand(std::size_t number);

// Returns C++ statements that do what the PTX instructions do, to the variables of that many operands.
std::string translated_instructions(const std::string& ptx, std::size_t operands);

}  // namespace gpulab::source
