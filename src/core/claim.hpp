#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/launch.hpp"
#include "core/options.hpp"

namespace gpulab {

// What a lesson says about two of its variants, tested at every run that has both.
struct Claim {
  enum class Kind {
    faster,         // better takes at most 1 / ratio of the time of worse
    not_faster,     // better, so called, takes at least the time of worse, but for a fraction of 1 - ratio
    fewer_counted,  // the figure of better is at most 1 / ratio of that of worse
  };

  Kind kind = Kind::faster;
  double ratio = 1;
  std::string better;
  std::string worse;
  std::string figure = {};  // "sectors per load"; empty when it is about time
  // The smallest problem for which it is said, in work items. In the time of a smaller one there is too much
  // that both variants share, such as the launch.
  std::size_t from = 0;
  // The problems and block sizes that it is meant for; left out: all. It is not measured for others.
  std::function<bool(const LaunchContext&)> where = {};
};

// The one takes at most 1 / ratio of the time of the other.
inline Claim at_least(double ratio, std::string faster, std::string slower) {
  return {Claim::Kind::faster, ratio, std::move(faster), std::move(slower)};
}

// The one is not faster than the other. Three percent count as equal: measurements of equal speeds differ,
// too.
inline Claim no_faster(std::string one, std::string than) {
  return {Claim::Kind::not_faster, 0.97, std::move(one), std::move(than)};
}

// Of that figure, which the simulator counts, the one needs at most 1 / ratio as many as the other.
inline Claim at_least_fewer(double ratio, std::string figure, std::string fewer, std::string more) {
  return {Claim::Kind::fewer_counted, ratio, std::move(fewer), std::move(more), std::move(figure)};
}

// The same claim, for problems of at least so many work items.
inline Claim from_size(std::size_t items, Claim claim) {
  claim.from = items;
  return claim;
}

// The same claim, for some problems and block sizes only: only_where(is_large, at_least(2, "tiled",
// "naive")).
inline Claim only_where(std::function<bool(const LaunchContext&)> where, Claim claim) {
  claim.where = std::move(where);
  return claim;
}

// What a rung cannot do more of.
enum class LimitedBy {
  as_the_lesson_says,  // memory, or multiply-adds in float32
  memory,
  tensor_cores,  // three products in TF32 for each in float32
  host_link,     // copies to the device and back at once
};

// A case of `gpulab limits`: which part of the ceiling a lesson's top rung should reach at that size. The
// ceiling is measured in the same run, so that a target means the same on every GPU.
struct LimitCase {
  std::string label;     // "2^25, sorted"
  std::size_t size = 0;  // of a lesson with --size
  std::map<std::string, OptionValue> options = {};
  std::string rung;
  std::string yardstick = {};  // the variant that it stands beside
  double at_least = 0;         // 1 for all that the device was measured to do; 0 where that is no target
  double at_least_times = 0;   // as fast as the yardstick, where it is there; 0 where that is no target
  LimitedBy limited_by = LimitedBy::as_the_lesson_says;
  double bytes_copied = 0;  // each way, of a rung limited by the host's link
};

}  // namespace gpulab
