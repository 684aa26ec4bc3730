#include "core/lesson.hpp"

#include <algorithm>

namespace gpulab {

bool Lesson::is_called(const std::string& word) const {
  return word == name || std::ranges::find(aliases, word) != aliases.end();
}

const std::string& Lesson::file_of(const Variant& variant) const {
  return variant.source.empty() ? kernels : variant.source;
}

Settings Lesson::default_settings() const {
  return {.size = default_size, .options = default_values(options)};
}

}  // namespace gpulab
