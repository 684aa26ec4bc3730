#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "demo/demo.hpp"

namespace gpulab::demo {
namespace {

std::string without_margin(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

// Where these lines stand one after another in a kernel, or in a file with the main one left open, whatever
// their margins.
std::size_t place_of(const std::vector<std::string>& lines, const std::string& kernel,
                     const std::vector<std::string>& part) {
  const auto begin = std::ranges::find_if(
      lines, [&](const std::string& line) { return line.find(" " + kernel + "(") != std::string::npos; });
  const auto found = std::ranges::search(kernel.empty() ? lines.begin() : begin, lines.end(), part.begin(),
                                         part.end(), {}, without_margin, without_margin);
  if (part.empty() || found.empty())
    throw UsageError("the kernel has no line '" + (part.empty() ? "" : without_margin(part.front())) +
                     "' to be replaced");
  return static_cast<std::size_t>(found.begin() - lines.begin());
}

}  // namespace

std::string edited(const std::string& file_text, const std::string& kernel,
                   const std::vector<DemoEdit>& edits) {
  std::vector<std::string> lines = lines_of(file_text);
  for (const auto& [before, after] : edits) {
    const std::size_t place = place_of(lines, kernel, before);
    const std::string margin = lines[place].substr(0, lines[place].find_first_not_of(" \t"));
    const auto at = lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(place),
                                lines.begin() + static_cast<std::ptrdiff_t>(place + before.size()));
    std::vector<std::string> put;
    put.reserve(after.size());
    for (const std::string& line : after) put.push_back(margin + line);
    lines.insert(at, put.begin(), put.end());
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace gpulab::demo
