#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace gpulab {

// Return whether the text is one of the words, or begins with one of them.
inline bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}
inline bool begins_with_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.starts_with(word); });
}

}  // namespace gpulab
