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
