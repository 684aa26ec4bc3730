#pragma once

#include <optional>
#include <string>

#include "source/statements.hpp"

namespace gpulab::source {

// Slips of the pen that the text shows, whatever the code is for.

// Returns whether that token is a lone =, an assignment.
bool is_plain_assignment(const Code& code, std::size_t at);

bool begins_statement(const Code& code, std::size_t at);

struct Slip {
  int line = 0;
  const char* pattern = "";
  std::string text;
};

// Returns the first slip in a range of tokens: x = y as a condition, a semicolon after an if, missing braces.
std::optional<Slip> first_slip(const Code& code, std::size_t begin = 0, std::size_t end = std::string::npos);

}  // namespace gpulab::source
