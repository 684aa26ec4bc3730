#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "source_files.hpp"

namespace gpulab {

// Files whose first line, "// expect: WORDS", says what must come of them.
struct ExpectedText {
  std::filesystem::path file;
  std::string text, words;
};

inline std::vector<ExpectedText> expected_texts(const std::filesystem::path& folder) {
  std::vector<ExpectedText> all;
  for (const auto& entry : std::filesystem::directory_iterator(source_file(folder))) {
    const std::string text = content_of(entry.path()), mark = "// expect: ";
    all.push_back({entry.path(), text, text.substr(mark.size(), text.find('\n') - mark.size())});
  }
  std::ranges::sort(all, {}, &ExpectedText::file);
  return all;
}

}  // namespace gpulab
