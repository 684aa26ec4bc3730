#pragma once

#include <string>

#include "core/defect.hpp"

namespace gpulab {

// What the lines of a kernel file add to a race that was seen in them.
struct RaceInSource {
  std::string pattern;  // "race-shared-update"; empty when they add nothing
  std::string remark;   // goes on with the sentence about the race; may be empty
};

RaceInSource race_in_source(const Defect& race, const std::string& text);

}  // namespace gpulab
