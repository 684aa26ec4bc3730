#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpulab {

// Where a loop of a kernel file stands: from the line of its for, while or do to the one that it ends in.
struct SourceLoop {
  int first = 0, last = 0;

  bool has(int line) const { return first <= line && line <= last; }
};

// The smallest loop that all of these lines, which are counted from 1, are in.
std::optional<SourceLoop> innermost_loop(const std::string& text, const std::vector<int>& lines);

}  // namespace gpulab
