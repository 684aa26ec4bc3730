#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/compile/module.hpp"

namespace gpulab::program::runtime {

// The tables of virtual functions of a program's classes. Host and device have different ones on a GPU, and
// here the same. So a copy replaces an object's pointer to its table: on the device, an object that the host
// has made has a table whose functions report that; on the host, one that a kernel has made has a table that
// tells so when the object is copied back.
class VirtualTables {
 public:
  VirtualTables() = default;
  explicit VirtualTables(const simulator::compile::SimulatedModule& module);

  // Replace the pointers in memory that was copied to the device, and to the host.
  void bring_to_device(std::uintptr_t begin, std::size_t bytes) const;
  void bring_to_host(std::uintptr_t begin, std::size_t bytes) const;
  // Returns whether the address is in a table for objects that the host has made.
  bool is_of_host(std::uintptr_t address) const;

 private:
  struct Table {
    std::uintptr_t real = 0;
    std::size_t words = 0;
    std::vector<std::uintptr_t> of_host, of_device;  // its copies

    std::uintptr_t bytes() const { return words * sizeof(std::uintptr_t); }
  };
  using Copy = std::vector<std::uintptr_t> Table::*;
  void replace(std::uintptr_t begin, std::size_t bytes, Copy made_here, Copy brought_back) const;

  std::vector<Table> tables_;
};

}  // namespace gpulab::program::runtime
