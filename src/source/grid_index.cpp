#include "source/grid_index.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>

#include "source/statements.hpp"

namespace gpulab::source {

std::string_view component_of(const Code& code, std::size_t at, std::string_view variable) {
  return code.text(at) == variable && code.text(at + 1) == "." ? code.text(at + 2) : std::string_view();
}

namespace {

// Returns the initializer of a name in the file, as in constexpr int block_size = 256; without one, the name.
std::string_view initializer_or_name(const Code& code, std::string_view name) {
  for (std::size_t at = 0; at < code.size(); ++at)
    if (code.text(at) == name && code.text(at + 1) == "=" && code.text(at + 3) == ";")
      return code.text(at + 2);
  return name;
}

// Returns whether the number is wrong as a factor of blockIdx in blocks of that many threads. In a loop, it
// may be larger: each thread can take several elements.
bool is_wrong_factor(std::string_view number, unsigned block_size, bool has_loops) {
  const unsigned long threads = std::strtoul(std::string(number).c_str(), nullptr, 0);
  return threads != block_size && !(has_loops && threads > block_size);
}

}  // namespace

std::optional<WrongFormula> wrong_index_formula(const Code& code, std::size_t begin, std::size_t end,
                                                std::optional<unsigned> block_size) {
  const bool has_loops = !all_loops(code).empty();
  bool has_rows = false;
  for (std::size_t at = begin; at < end; ++at) has_rows |= component_of(code, at, "threadIdx") == "y";
  // Looks for operands of three tokens, `at`, `second` and `third`, with signs between them:
  //   blockIdx . x * blockDim . x + threadIdx . x
  // Each of the views below is the component of an operand, such as x; empty if that is another variable.
  for (std::size_t at = std::max<std::size_t>(begin, 1); at < end; ++at) {
    const std::size_t sign = at + 3, second = at + 4, second_sign = second + 3, third = second + 4;
    const std::string_view thread = component_of(code, at, "threadIdx");
    const std::string_view block = component_of(code, at, "blockIdx");
    const std::string_view second_thread = component_of(code, second, "threadIdx");
    const std::string_view second_block = component_of(code, second, "blockIdx");
    const std::string_view component = thread.empty() ? block : thread;
    const auto wrong = [&](std::string_view axis, const char* text, bool is_sum = false) {
      const std::string sentence = fmt::format(fmt::runtime(text), code[at].line, axis, code.text(second));
      return WrongFormula{at, axis, sentence, is_sum};
    };
    const bool has_both =
        (!block.empty() && block == second_thread) || (!thread.empty() && thread == second_block);
    if (has_both && code.text(sign) == "+" && code.text(at - 1) != "*" && code.text(second_sign) != "*")
      return wrong(
          component,
          "line {0} adds threadIdx.{1} to blockIdx.{1}, and not to blockIdx.{1} * blockDim.{1}, so threads of several blocks have the same index",
          /*is_sum=*/true);
    const bool is_added_to_thread =
        code.text(second_sign) == "+" && component_of(code, third, "threadIdx") == block && !block.empty();
    if (is_added_to_thread && code.text(sign) == "+" && component_of(code, second, "blockDim") == block)
      return wrong(component, "line {0} adds blockDim.{1} to blockIdx.{1}, and does not multiply by it");
    if (is_added_to_thread && code.text(sign) == "*" && component_of(code, second, "gridDim") == block)
      return wrong(
          component,
          "line {0} multiplies blockIdx.{1} by gridDim.{1}, the number of blocks, and not by blockDim.{1}");
    const bool is_product_of_sizes = component_of(code, at, "blockDim") == "x" &&
                                     component_of(code, second, "gridDim") == "x" && code.text(sign) == "*";
    if (is_product_of_sizes && code.text(second_sign) == "+" && component_of(code, third, "threadIdx") == "x")
      return wrong("x", "line {0} begins after the whole grid: gridDim.x stands where blockIdx.x belongs");
    // blockIdx . x * 128 + threadIdx . x, where the factor is one token. Not in blocks with rows: there,
    // blockDim.x and blockDim.y differ from the number of threads.
    if (block_size && !block.empty() && !has_rows && code.text(sign) == "*" &&
        is_wrong_factor(initializer_or_name(code, code.text(second)), *block_size, has_loops) &&
        component_of(code, second + 2, "threadIdx") == block)
      return wrong(block, "line {0} multiplies blockIdx.{1} by {2}, and a block has blockDim.{1} threads");
    const std::size_t after_factor =
        component_of(code, second, "blockDim") == block ? second_sign : second + 1;
    if (!block.empty() && code.text(sign) == "*" && code.text(after_factor) == "*" &&
        component_of(code, after_factor + 1, "threadIdx") == block)
      return wrong(component,
                   "line {0} multiplies the first index of the block by threadIdx.{1}, and does not add it");
    if (has_both && code.text(sign) == "*")
      return wrong(component, "line {0} multiplies blockIdx.{1} by threadIdx.{1}, and not by blockDim.{1}");
    const std::string_view factor = component_of(code, thread.empty() ? at : second, "blockDim");
    const std::string_view multiplied = thread.empty() ? second_thread : thread;
    if (!multiplied.empty() && code.text(sign) == "*" && factor == multiplied &&
        code.text(second_sign) == "+" && component_of(code, third, "blockIdx") == multiplied)
      return wrong(multiplied, "line {0} multiplies threadIdx.{1} by blockDim.{1}, and not blockIdx.{1}");
  }
  return std::nullopt;
}

}  // namespace gpulab::source
