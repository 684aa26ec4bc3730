#pragma once

#include <filesystem>
#include <string>

namespace gpulab::run {

// What a file should be, in the words of messages about files that are something else.
struct TextFileKind {
  const char* name;     // "a kernel file"
  const char* content;  // "CUDA C++ source"
};

constexpr TextFileKind kernel_file{"a kernel file", "CUDA C++ source"};

// What somebody has written. Throws UsageError, in one sentence, when it cannot be read, is no text, or is
// larger than 1 MiB, which would keep a compiler busy for minutes.
std::string read_text_file(const std::filesystem::path& file, const TextFileKind& kind);

}  // namespace gpulab::run
