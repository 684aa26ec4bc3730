#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lesson/handles.hpp"

namespace gpulab::device {

// Returns the C++ name of a symbol, for a function with its parameters: "scale(float const*, int)". A symbol
// that is not mangled is its own name.
std::string demangled_name(const std::string& symbol);

// Returns a kernel's name without namespaces and parameters, with a template's arguments: "reduce<256>".
std::string kernel_name(const std::string& symbol);

struct ElfSymbol {
  enum class Kind { function, object, thread_local_object, other };
  std::string name;  // as it is in the file: mangled
  Kind kind = Kind::other;
  bool exported = true;  // visible outside the file
  std::size_t bytes = 0;
  std::size_t value = 0;  // address, or offset of a thread-local object
  std::string section;    // name of the section that contains the symbol
  bool writable = false;  // while the program runs
};

// Returns the defined symbols of a 64-bit ELF file: a shared object that the host compiler made, or a cubin
// of NVRTC. Throws std::runtime_error if the file is neither.
std::vector<ElfSymbol> elf_symbols(const std::filesystem::path& file);

// A place in a file's code that refers to another address of the file, such as that of a variable.
struct ElfReference {
  std::size_t from = 0, to = 0;
};

// Returns the references of a shared object's code that the linker was told to keep (-q).
std::vector<ElfReference> elf_references(const std::filesystem::path& file);

// Returns the content of the first note with that owner ("AMDGPU") and type. Throws std::runtime_error if the
// file has none.
std::string elf_note(const std::filesystem::path& file, const std::string& owner, std::uint32_t type);

// Requirements of a shared object on the process that loads it.
struct ElfNeeds {
  std::vector<std::string> symbols;  // undefined symbols
  std::size_t run_when_loaded = 0;   // number of constructors, destructors and IFUNC resolvers
};

ElfNeeds elf_needs(const std::filesystem::path& file);

// Whether functions with internal linkage can be kernels. In a cubin they can: kernels in an anonymous
// namespace. In a shared object of the simulator they cannot: they were not declared __global__.
enum class LocalFunctions { may_be_kernels, are_not_kernels };

// Finds, among the functions of a compiled kernel file, the kernel that a lesson launches, and returns its
// symbol. Throws CompileError for a missing kernel, a misspelt name or other parameters, and says what the
// lesson launches and what the file has. A kernel declared extern "C" carries no parameter list to compare.
std::string find_kernel_symbol(const std::vector<ElfSymbol>& symbols, const std::string& file,
                               const std::string& name, const Signature& signature,
                               LocalFunctions local = LocalFunctions::may_be_kernels);

// Finds a __constant__ or __device__ variable, by its name in C++ with its namespaces, among the symbols of a
// compiled kernel file. Throws DeviceError, CUDA_ERROR_NOT_FOUND, which names the file's variables.
ElfSymbol find_variable(const std::vector<ElfSymbol>& symbols, const std::string& file,
                        const std::string& name);

// Returns the __device__ variables among the symbols of a compiled kernel file, and those inside functions.
std::vector<ElfSymbol> writable_variables(const std::vector<ElfSymbol>& symbols);

// Returns the size of all __constant__ variables of a compiled kernel file together, used or not.
std::size_t constant_bytes(const std::vector<ElfSymbol>& symbols);

}  // namespace gpulab::device
