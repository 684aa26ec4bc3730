#pragma once

#include <cstddef>
#include <cstdint>

#include "core/defect.hpp"
#include "device/simulator/count/memory_access.hpp"

namespace gpulab {

// A defect as a worker writes it down, in the middle of a kernel: without a name, and without memory of its
// own.
struct FoundDefect {
  struct Party {
    std::uintptr_t code = 0;  // where the kernel goes on after the access
    int line = 0;             // where it is known without asking
    DefectAccess access = DefectAccess::load;
    bool has_place = false;
    std::uint32_t block = 0;   // its number in the grid
    std::uint32_t thread = 0;  // its number in the block
  };

  DefectKind kind = DefectKind::global_race;
  bool is_note = false;
  bool ends_launch = false;
  bool has_other = false;
  Party party, other;
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  AddressRange memory = {};   // that it is in or near
  const char* variable = "";  // its name in the kernel file
  int barrier_line = 0;       // that the block of both threads had come through last
  char detail[96] = "";
  std::size_t count = 1;
};

}  // namespace gpulab
