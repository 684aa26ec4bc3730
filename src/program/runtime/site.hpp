#pragma once

#include <cstdint>

#include "core/program.hpp"

namespace gpulab::program::runtime {

// Where the program called the runtime: the address that the call returns to; 0 where nobody knows.
struct Site {
  std::uintptr_t code = 0;
};

// Its line. Asks whoever can read the program's lines.
SourcePlace place_of(Site site);

// Where an instruction is, or who called it, if it is not the program's own: the first of the program's
// functions on this thread's stack.
Site site_in_program(std::uintptr_t instruction);

}  // namespace gpulab::program::runtime
