#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gpulab {

struct ElfSymbol {
  enum class Kind { function, object, thread_local_object, other };
  std::string name;  // as it is in the file: mangled
  Kind kind = Kind::other;
  bool exported = true;  // visible outside the file
  std::size_t bytes = 0;
  std::size_t value = 0;  // address or, of a thread-local object, its offset
  std::string section;    // that it lies in
  bool writable = false;  // while the program runs
};

// The defined symbols of a 64-bit ELF file: a shared object that the host compiler made, or a cubin of NVRTC.
// Throws std::runtime_error when the file is not one.
std::vector<ElfSymbol> elf_symbols(const std::filesystem::path& file);

}  // namespace gpulab
