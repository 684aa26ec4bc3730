#pragma once

#include "source/code.hpp"

namespace gpulab::source {

// The threads of a block that come to some lines, as far as the text shows them.
enum class Arrivals { all, some, one_warp };

struct Branch {
  Arrivals arrivals = Arrivals::all;
  int line = 0;  // of the condition; 0 without one
};

// Returns the branch or the loop around both lines, or the return before them, that keeps most threads of a
// block from them.
Branch branch_around(const Code& code, int line, int other_line);

}  // namespace gpulab::source
