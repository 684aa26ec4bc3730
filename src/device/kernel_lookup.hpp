#pragma once

#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "device/elf_symbols.hpp"

namespace gpulab {

// What functions are that a compiled file does not show to others. In a cubin a kernel may be among them (in
// an anonymous namespace); in a shared object they are what was not declared __global__.
enum class Unexported { may_be_kernels, are_no_kernels };

// Finds, among the functions of a compiled kernel file, the kernel that a lesson launches, and returns its
// symbol. A missing kernel, a misspelt name or another parameter list is a CompileError that says what the
// lesson launches and what the file has. A kernel declared extern "C" carries no parameter list to compare.
std::string find_kernel_symbol(const std::vector<ElfSymbol>& symbols, const std::string& file,
                               const std::string& name, const Signature& signature,
                               Unexported unexported = Unexported::may_be_kernels);

}  // namespace gpulab
