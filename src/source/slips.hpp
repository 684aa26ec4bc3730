#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/code.hpp"
#include "source/statements.hpp"

namespace gpulab::source {

// Slips of the pen that the text shows, whatever the code is for.

// Returns whether that token is a lone =, an assignment.
bool is_plain_assignment(const Code& code, std::size_t at);

bool begins_statement(const Code& code, std::size_t at);

// Returns the token after the variable, or the element of an array, whose name is at that token.
std::size_t end_of_element(const Code& code, std::size_t name);

struct Slip {
  int line = 0;
  const char* pattern = "";
  std::string text;
};

// Returns the first slip in a range of tokens: x = y as a condition, a semicolon after an if, missing braces.
std::optional<Slip> first_slip(const Code& code, std::size_t begin = 0, std::size_t end = std::string::npos);

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
