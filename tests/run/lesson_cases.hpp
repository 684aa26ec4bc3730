#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/lesson.hpp"

// What every lesson is tried with, on every device.

namespace gpulab {

inline std::set<std::size_t> edge_sizes(unsigned block_size) {
  const std::size_t block = block_size;
  std::set<std::size_t> sizes{1, 2, 31, 32, 33, block - 1, block, block + 1, 2 * block, 10007, 65536, 100003};
  sizes.erase(0);
  return sizes;
}

// Every combination of the lesson's own options.
inline std::vector<std::map<std::string, std::string>> every_choice(const Lesson& lesson) {
  std::vector<std::map<std::string, std::string>> all{{}};
  for (const Option& option : lesson.options) {
    std::vector<std::map<std::string, std::string>> longer;
    for (const auto& chosen : all)
      for (const std::string& choice : option.choices) {
        longer.push_back(chosen);
        longer.back()[option.name] = choice;
      }
    all = longer;
  }
  return all;
}

}  // namespace gpulab
