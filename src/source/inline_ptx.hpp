#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/code.hpp"

namespace gpulab::source {

// Inline PTX as C++ for the simulated device.
struct TranslatedPtx {
  std::string statement;  // without its semicolon, in as many lines as the original
  std::size_t end = 0;    // the token after the original's closing parenthesis
};

// Translates asm("...") at that token. PTX registers become variables, and instructions become C++ or calls
// of the functions in headers/ptx.cuh. Returns nothing for assembly of the host, and for PTX with labels,
// with text from macros, or with instructions that ptx_instructions.cpp does not have.
std::optional<TranslatedPtx> translated_ptx(const Code& code, std::size_t at);

// Returns "the PTX instruction wgmma.mma_async" for the first part of such an asm that is not translated;
// "inline PTX (asm)" if it is not a single instruction, and nothing if all is translated.
std::string missing_in_ptx(const Code& code, std::size_t at);

// Thrown by the functions below, where something is not translated.
struct NotTranslated {
  std::string what = "";  // "the PTX instruction wgmma.mma_async", if known
};

// Returns the name of the C++ variable for operand %0, %1 and so on.
std::string variable_of_operand(std::size_t number);

// Splits PTX at a separator that is in no brackets.
std::vector<std::string> ptx_parts(std::string_view text, char separator);

// Returns C++ statements that do what the PTX instructions do, to the variables of that many operands.
std::string translated_instructions(const std::string& ptx, std::size_t operands);

}  // namespace gpulab::source
