#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/runtime/errors.hpp"

namespace gpulab::program::runtime {

enum class MemoryKind {
  device,
  pinned,  // of the host, page-locked, and also the device's
  managed,
  registered,  // of the host, which the program has page-locked
};

// A piece of memory that the runtime has given, or page-locked.
struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  int device = 0;
  const char* call = "";             // "cudaMalloc"
  Site site;                         // of that call
  std::size_t element_bytes = 0;     // of what the program's pointer points to; 0 where that is void
  std::size_t pitch = 0, width = 0;  // of rows, in bytes; 0 where there are none
  bool is_copied_from = false;
  bool has_chunks = false;  // of as many bytes as there are elements, by which it is copied
  bool is_array = false;
  bool is_freed = false;
  Site freed = {};
  // What copies and sets wrote to it, the latest last.
  struct Write {
    std::uintptr_t begin = 0, end = 0;
    const char* call = "";
    Site site = {};
    int odd_value = 0;  // that a set left in every byte, if it is none of the usual ones
  };
  std::vector<Write> writes = {};

  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
  bool is_of_host() const { return kind == MemoryKind::pinned || kind == MemoryKind::registered; }
  // "the 400 bytes that cudaMalloc gave in line 7"
  std::string name() const;
  // "byte 8 of the 400 bytes that cudaMalloc gave in line 7, which are 100 elements", "4 bytes past the end
  // of ..."
  std::string name_of(std::uintptr_t address) const;
  // The function that takes it back: "cudaFree".
  const char* freed_by() const;
};

// By their addresses. Those that were freed are known until their addresses are given again.
class Allocations {
 public:
  void add(const Allocation& allocation);
  // The one that the address is in, freed or not; null if there is none.
  const Allocation* at(std::uintptr_t address) const;
  const Allocation* at(const void* address) const { return at(reinterpret_cast<std::uintptr_t>(address)); }
  // The one that the address is in or, within 64 MiB, behind.
  const Allocation* near(std::uintptr_t address) const;
  void add_write(const Allocation::Write& write);
  // The last write there, if that was a set to an odd value; else null.
  const Allocation::Write* set_at(std::uintptr_t address) const;
  void mark_copied_from(std::uintptr_t address);
  void mark_chunks(std::uintptr_t begin) { all_.at(begin).has_chunks = true; }
  void mark_freed(std::uintptr_t begin, Site site);
  void remove(std::uintptr_t begin) { all_.erase(begin); }
  const std::map<std::uintptr_t, Allocation>& all() const { return all_; }

 private:
  std::map<std::uintptr_t, Allocation> all_;
};

}  // namespace gpulab::program::runtime
