#include "run/read_text_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.hpp"

namespace gpulab::run {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw UsageError("cannot read " + file.string() + ": " + why);
}

}  // namespace

std::string read_text_file(const std::filesystem::path& file, const TextFileKind& kind) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    refuse(file, std::string("it is a folder, not ") + kind.name);
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, std::strerror(errno));
  // One byte more than is allowed, since not everything that can be read has a size.
  std::string text(most_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) refuse(file, std::strerror(errno));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > most_bytes) refuse(file, std::string(kind.name) + " has at most 1 048 576 bytes");
  if (text.find('\0') != std::string::npos)
    refuse(file, std::string("it is no text; ") + kind.name + " is " + kind.content);
  return text;
}

}  // namespace gpulab::run
