#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/judging.hpp"
#include "source/code.hpp"

namespace gpulab::check {

// A line that a compiler refuses, and what its tokens show.

using CauseOfRefusal = std::optional<RefusalInSource>;

struct LineOfCode {
  const source::Code& code;
  int number = 0;
  std::size_t begin = 0, end = 0;  // its tokens

  LineOfCode(const source::Code& all, int line);

  bool calls(std::string_view name) const;
  // Returns a refusal whose text begins with the number of the line.
  RefusalInSource error(const std::string& pattern, const std::string& text) const;
};

// Returns the texts in single quotation marks.
std::vector<std::string> quoted_in(const std::string& complaint);

bool is_in(const std::string& words, const std::string& complaint);

bool is_in_device_code(const source::Code& code, std::size_t token);

// Finds a slip that the line shows, whatever the compiler says of it.
CauseOfRefusal slip_in(const LineOfCode& line, const std::string& complaint);

}  // namespace gpulab::check
