#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/defect.hpp"

namespace gpulab::learn {

// A line, which is counted from 1, without its indentation; empty when there is none of that number.
std::string line_of(const std::string& text, int number);

// The column in which the text of that line begins, counted in bytes from 1; 1 when there is no such line.
int column_of(const std::string& text, int number);

// The pattern of a defect: "race-shared", "out-of-bounds-write".
std::string pattern_of(const Defect& defect);

// Where a loop of a kernel file stands: from the line of its for, while or do to the one that it ends in.
struct SourceLoop {
  int first = 0, last = 0;

  bool has(int line) const { return first <= line && line <= last; }
};

// The smallest loop that all of these lines, which are counted from 1, are in.
std::optional<SourceLoop> innermost_loop(const std::string& text, const std::vector<int>& lines);

// What the lines of a kernel file add to a race that was seen in them.
struct RaceInSource {
  std::string pattern;  // "race-shared-update"; empty when they add nothing
  std::string remark;   // goes on with the sentence about the race; may be empty
};

RaceInSource race_in_source(const Defect& race, const std::string& text);

}  // namespace gpulab::learn
