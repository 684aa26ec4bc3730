#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/option.hpp"

namespace gpulab {

// The least that a rung at the limit should reach.
struct Target {
  enum class Kind {
    times_yardstick,   // so many times as fast as the yardstick
    part_of_ceiling,   // 1 for all that the device can do with such accesses, or such arithmetic
    operations_per_s,  // 4e13 for 40 TFLOP/s
    times_rung,        // so many times as fast as another rung of the same lesson
  };
  Kind kind = Kind::times_yardstick;
  double at_least = 0;
  std::string rung = {};  // of times_rung
};

// What a rung cannot do more of, where it is something else than for the other rungs of its lesson.
enum class LimitedBy {
  as_the_lesson_says,
  memory,
  units_unknown,  // it does not run on the units whose peak is measured
};

// A case of `gpulab bench --profile limits`: what a lesson's top rung should do at that size, on a GPU of the
// kind that the targets were set for.
struct LimitCase {
  std::string label;     // "2^25, sorted"
  std::size_t size = 0;  // of a lesson with --size
  std::map<std::string, OptionValue> options = {};
  std::string rung;
  std::string yardstick = {};  // the variant that it stands beside
  std::vector<Target> targets = {};
  LimitedBy limited_by = LimitedBy::as_the_lesson_says;
};

}  // namespace gpulab
