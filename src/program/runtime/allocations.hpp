#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lesson/launch.hpp"
#include "program/runtime/errors.hpp"

namespace gpulab::program::runtime {

enum class MemoryKind {
  device,
  pinned,  // page-locked host memory that the device can access
  managed,
  registered,  // host memory that the program has page-locked
};

// Memory that the runtime has allocated or page-locked.
struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  int device = 0;
  const char* call = "";             // "cudaMalloc"
  Site site;                         // of that call
  std::size_t element_bytes = 0;     // size of the pointer's target type; 0 for void
  std::size_t pitch = 0, width = 0;  // of rows, in bytes; 0 without rows
  bool is_copied_from = false;
  bool is_written_by_thrust = false;
  // The program copies it piece by piece, each with as many bytes as the whole has elements. So a copy of
  // that size is not taken for one whose size counts elements.
  bool is_copied_in_chunks = false;
  bool is_array = false;
  bool is_freed = false;
  bool is_freed_wrongly = false;  // by a call that cannot free it, which is reported separately
  Site freed = {};
  std::size_t freed_by_call = 0;  // number of that call
  // A write by a copy or a set. In `writes`, the latest is last.
  struct Write {
    std::uintptr_t begin = 0, end = 0;
    const char* call = "";
    Site site = {};
    int unusual_value = 0;  // value of each byte after a set, if it is unusual
    bool is_of_integers = false;
    std::size_t at_call = 0;  // number of that call
    bool covers(std::uintptr_t address) const { return begin <= address && address < end; }
  };
  std::vector<Write> writes = {};
  Site failed_copy = {};  // the last copy there that failed
  // The last launch that has written only the first elements of the memory.
  struct PartialWrite {
    std::string kernel;
    Site site = {};
    std::size_t elements = 0;  // that were written
    std::size_t count = 0;     // all elements of the memory
    std::size_t blocks = 0;    // of the launch
    std::size_t threads_per_block = 0;
  };
  std::optional<PartialWrite> partial_write = {};
  int launches_checked = 0;  // for a partial write
  // Two kernels have used it, or one did twice after a copy or a memset: it may read what the last one wrote.
  bool has_reader = false;
  // The last launch that used the memory or, if it is page-locked memory of the host, that was given it.
  struct Launch {
    std::string kernel;
    Site site = {};
    LaunchConfig config = {};
    int count = 1;  // of launches of that line, one after the other
  };
  std::optional<Launch> launch = {};
  Site store = {};  // the last one of that launch to the first byte; none if it only reads, or is too large
  // The last library call with this output that wrote nothing: it asked for the size of temporary memory.
  std::optional<Write> size_query = {};

  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
  bool is_of_host() const { return kind == MemoryKind::pinned || kind == MemoryKind::registered; }
  // Returns "the 400 bytes that cudaMalloc gave in line 7".
  std::string name() const;
  // Returns "byte 8 of the 400 bytes that cudaMalloc gave in line 7, which are 100 elements", or "4 bytes
  // past the end of ...".
  std::string name_of(std::uintptr_t address) const;
  // Returns the name of the function that frees it: "cudaFree".
  const char* freeing_function() const;
};

// Returns the line that allocated the memory, for a finding: "allocated by cudaMalloc here".
ProgramFinding::Other allocated_at(const Allocation& memory, const std::string& more = "");

// Allocations by address. Freed ones are known until their addresses are reused.
class Allocations {
 public:
  void add(const Allocation& allocation);
  // Returns the allocation that contains the address, freed or not, or null.
  const Allocation* at(std::uintptr_t address) const;
  const Allocation* at(const void* address) const { return at(address_of(address)); }
  // Returns the same allocation, to change it.
  Allocation* containing(std::uintptr_t address) { return const_cast<Allocation*>(at(address)); }
  // Returns the allocation that contains the address or lies within 64 MiB of it.
  const Allocation* near(std::uintptr_t address) const;
  void add_write(const Allocation::Write& write);
  // Returns the last write there if it was a set to an unusual value, else null.
  const Allocation::Write* unusual_set_at(std::uintptr_t address) const;
  void mark_freed(std::uintptr_t begin, Site site, std::size_t call);
  void remove(std::uintptr_t begin) { all_.erase(begin); }
  const std::map<std::uintptr_t, Allocation>& all() const { return all_; }

 private:
  std::map<std::uintptr_t, Allocation> all_;
};

}  // namespace gpulab::program::runtime
