#pragma once

#include <cstddef>
#include <cstdint>

namespace gpulab {

// One access of one thread to memory.
struct MemoryAccess {
  enum class Operation : unsigned char { load, store, atomic };
  Operation operation = Operation::load;
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  std::uintptr_t code = 0;   // where the kernel goes on after it
  bool is_volatile = false;  // told in kernels that are checked
};

struct AddressRange {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

}  // namespace gpulab
