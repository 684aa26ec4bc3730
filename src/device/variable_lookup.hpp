#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "device/elf_symbols.hpp"

namespace gpulab {

// Finds a __constant__ or __device__ variable, by its name in C++ with its namespaces, among the symbols of a
// compiled kernel file. Throws DeviceError, CUDA_ERROR_NOT_FOUND, that names what the file has instead.
ElfSymbol find_variable(const std::vector<ElfSymbol>& symbols, const std::string& file,
                        const std::string& name);

// The size of all __constant__ variables of a compiled kernel file together, used or not.
std::size_t constant_bytes(const std::vector<ElfSymbol>& symbols);

}  // namespace gpulab
