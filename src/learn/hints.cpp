#include "learn/hints.hpp"

#include <sstream>

namespace gpulab::learn {
namespace {

// A line that begins with # is a heading or a comment, a name stands alone in its line, and its hint is
// indented below.
std::vector<PatternGroup> groups_in(const std::string& text) {
  std::vector<PatternGroup> groups;
  std::string title;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line.starts_with("# ")) {
      title = line.substr(2);
    } else if (!line.starts_with(' ')) {
      if (groups.empty() || groups.back().title != title) groups.push_back({title, {}});
      groups.back().patterns.push_back({line, ""});
    } else {
      std::string& hint = groups.back().patterns.back().hint;
      hint += (hint.empty() ? "" : " ") + line.substr(line.find_first_not_of(' '));
    }
  }
  return groups;
}

}  // namespace

const std::vector<PatternGroup>& pattern_groups() {
  static const std::vector<PatternGroup> groups = groups_in(embedded_pattern_hints());
  return groups;
}

std::string pattern_hint(const std::string& pattern) {
  for (const PatternGroup& group : pattern_groups())
    for (const PatternHint& known : group.patterns)
      if (known.pattern == pattern) return known.hint;
  return "";
}

TakenHint take_hint(const Exercise& exercise, ExerciseProgress& progress) {
  TakenHint hint{.exercise = exercise.name, .of_pattern = pattern_hint(progress.last_pattern)};
  if (!hint.of_pattern.empty()) hint.pattern = progress.last_pattern;
  const std::size_t taken = progress.hints_taken;
  if (taken < exercise.hints.size()) {
    hint.texts = {exercise.hints[taken]};
    hint.first = taken + 1;
    hint.left = exercise.hints.size() - hint.first;
    ++progress.hints_taken;
  } else {
    hint.texts = exercise.hints;
  }
  return hint;
}

}  // namespace gpulab::learn
