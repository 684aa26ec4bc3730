#pragma once

#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "device/elf_symbols.hpp"

namespace gpulab {

// Finds, among the functions of a compiled kernel file, the kernel that a lesson launches, and returns its
// symbol. A missing kernel, a misspelt name or another parameter list is a CompileError that says what the
// lesson launches and what the file has. A kernel declared extern "C" carries no parameter list to compare.
std::string find_kernel_symbol(const std::vector<ElfSymbol>& symbols, const std::string& file,
                               const std::string& name, const Signature& signature);

}  // namespace gpulab
