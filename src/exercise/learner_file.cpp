#include "exercise/learner_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "core/number_text.hpp"

namespace gpulab {
namespace {

// No file that a person writes is larger; a compiler would take minutes over one that is.
constexpr std::size_t largest_file = std::size_t{1} << 20;

}  // namespace

std::string read_learner_file(const std::filesystem::path& path, const LearnerFileKind& kind) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed))
    throw UsageError(path.string() + " is a folder, not " + kind.name);
  const auto bytes = std::filesystem::file_size(path, failed);
  if (!failed && bytes > largest_file)
    throw UsageError(path.string() + " has " + grouped(bytes) + " bytes: " + kind.name + " has at most " +
                     grouped(largest_file));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError("cannot read " + path.string() + ": " + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.find('\0') != std::string::npos)
    throw UsageError(path.string() + " is not a text: " + kind.name + " is " + kind.content);
  return text;
}

}  // namespace gpulab
