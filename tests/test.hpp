#pragma once

// Everything that tests share, compiled once: GoogleTest, the standard library and these functions.

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpulab {

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' does not contain '" << part << "'";
}

// Returns the number of the first line with that part, such as a comment that marks it; -1 if none has it.
inline int line_of(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return -1;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// Returns the error that the action throws. The test fails if it throws none.
template <class Error, class Action>
Error thrown(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("an error was expected, and none was thrown");
}

// Returns the message of the error that the action throws, or `otherwise` if it throws none.
template <class Error, class Action>
std::string message_thrown(const Action& action, const std::string& otherwise = "") {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return otherwise;
}

// Returns the path of a repository file that tests read: in the folder where the tests are installed, which
// may have been copied to another machine, or else where they were built.
inline std::filesystem::path source_file(const std::filesystem::path& file) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  const auto installed = folder / "share" / "gpulab-tests";
  return (std::filesystem::exists(installed) ? installed : std::filesystem::path(GPULAB_SOURCE)) / file;
}

// Returns the text of a file; empty if it cannot be read.
inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Returns the text of a repository file, for example kernels or programs that tests run.
inline std::string source_text(const std::filesystem::path& file) {
  std::string text = content_of(source_file(file));
  if (text.empty()) throw std::runtime_error(source_file(file).string() + " cannot be read");
  return text;
}

}  // namespace gpulab
