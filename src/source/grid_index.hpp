#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "source/code.hpp"

namespace gpulab::source {

// Returns the x of "threadIdx.x", three tokens, if `variable` is threadIdx and is at that token; else empty.
std::string_view component_of(const Code& code, std::size_t at, std::string_view variable);

// A formula that is not the index of a thread in the grid, though it looks like one.
struct WrongFormula {
  std::size_t at = 0;          // token where it begins
  std::string_view component;  // x, y or z
  std::string text;            // "line 6 multiplies threadIdx.x by blockDim.x, and not blockIdx.x"
  bool is_sum = false;         // of blockIdx and threadIdx
};

// Finds such a formula between two tokens of a kernel. If the number of threads in a block is given, a
// formula with another number in place of blockDim counts, too.
std::optional<WrongFormula> wrong_index_formula(const Code& code, std::size_t begin, std::size_t end,
                                                std::optional<unsigned> block_size);

}  // namespace gpulab::source
