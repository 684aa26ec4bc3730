#pragma once

#include <cstdint>
#include <vector>

#include "simulator/compile/module.hpp"

namespace gpulab::program::runtime {

// The vtables of a program's classes. On a GPU, host and device have different vtables; here they share them.
// So a copy between the two replaces an object's pointer to its vtable. An object that the host made gets a
// trap table on the device, whose functions report the call. An object that a kernel made gets a copy of its
// vtable on the host, so that the pointer is known when the object is copied back.
class VirtualTables {
 public:
  VirtualTables() = default;
  explicit VirtualTables(const simulator::compile::SimulatedModule& module);

  // Replace the pointers in memory that was copied to the device, and to the host.
  void bring_to_device(std::uintptr_t begin, std::size_t bytes) const;
  void bring_to_host(std::uintptr_t begin, std::size_t bytes) const;
  // Returns whether the address is in a trap table, for objects that the host made.
  bool is_of_host(std::uintptr_t address) const;

 private:
  struct Table {
    std::uintptr_t original = 0;
    std::size_t words = 0;
    std::vector<std::uintptr_t> of_host, of_device;  // copies, for objects that the host or a kernel has made

    std::uintptr_t bytes() const { return words * sizeof(std::uintptr_t); }
  };
  using TableCopy = std::vector<std::uintptr_t> Table::*;
  void replace(std::uintptr_t begin, std::size_t bytes, TableCopy to, TableCopy back) const;

  std::vector<Table> tables_;
};

}  // namespace gpulab::program::runtime
