#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/code.hpp"
#include "source/statements.hpp"

namespace gpulab::source {

// Loops that do not end, as far as their text shows it.

// Returns whether a component of threadIdx begins at that token.
bool is_thread_index(const Code& code, std::size_t at);

// Returns whether the value is the index of a thread in its block or in the grid.
bool is_index_of_thread(const Code& code, std::size_t begin, std::size_t end);

// Returns the variables in the loop's condition, without members, functions and CUDA's own.
std::vector<std::string_view> variables_in_condition(const Code& code, const Loop& loop);

// Says why a loop does not end; empty if its text does not show that.
std::string why_endless(const Code& code, const Loop& loop, const std::vector<LocalVariable>& variables);

// Returns the line of a loop of the device that never ends, once a thread comes to it, and why: a loop around
// that line, or any for line 0.
std::optional<std::pair<int, std::string>> endless_loop_at(const Code& code, int line = 0);

}  // namespace gpulab::source
