#pragma once

#include "check/files.hpp"
#include "test.hpp"

namespace gpulab {

// A file whose first line, "// expect: WORDS", says what the outcome must be. WORDS may be "PATTERN: words of
// the sentence". A NAME.diff is an edit of a solution.
struct ExpectedText {
  std::filesystem::path file;
  std::string text, words;

  std::string pattern() const { return words.substr(0, words.find(':')); }
  std::string sentence() const {
    return words.find(": ") < words.size() ? words.substr(words.find(": ") + 2) : "";
  }
  // Returns whether a demo of mistakes plays it, and the test of that demo judges it.
  bool is_in_demo() const { return check::said_in_mistake(text, "demo: ") != "left out"; }
};

inline void PrintTo(const ExpectedText& expected, std::ostream* out) {
  *out << expected.file.string();
}

// Returns those below a folder in the order of their names.
inline std::vector<ExpectedText> expected_texts(const std::filesystem::path& folder,
                                                const std::string& solution = {}) {
  const std::string mark = "// expect: ";
  std::vector<ExpectedText> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_file(folder))) {
    if (entry.path().extension() != ".cu" && entry.path().extension() != ".diff") continue;
    const std::string text = check::mistake_text(entry.path(), source_text(entry.path()), solution);
    if (!text.starts_with(mark))
      throw std::runtime_error(entry.path().string() + " does not say what to expect");
    all.push_back({entry.path(), text, text.substr(mark.size(), text.find('\n') - mark.size())});
  }
  std::ranges::sort(all, {}, &ExpectedText::file);
  return all;
}

}  // namespace gpulab
