#include "cli/sides.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace gpulab::cli {

Sides sides_of(const std::vector<std::filesystem::path>& files, const std::vector<std::string>& typed,
               const std::string& form) {
  const auto mark = std::ranges::find(typed, "--");
  if (mark == typed.end()) return {.before = files, .now = {}};
  for (auto word = mark + 1; word != typed.end(); ++word) {
    if (*word == "--") throw UsageError("-- may stand only once, between the two sides: " + form);
    if (word->starts_with('-') && *word != "-")
      throw UsageError("options such as " + *word + " must stand before --: " + form);
  }
  const auto split = files.end() - (typed.end() - mark - 1);
  Sides sides{.before = {files.begin(), split}, .now = {split, files.end()}};
  if (sides.before.empty() || sides.now.empty())
    throw UsageError("there must be a file on each side of --: " + form);
  return sides;
}

}  // namespace gpulab::cli
