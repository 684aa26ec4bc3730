#pragma once

#include <filesystem>
#include <string>

namespace gpulab {

// What a file should be, in the words of messages about files that are something else.
struct LearnerFileKind {
  const char* name;
  const char* content;
};

constexpr LearnerFileKind kernel_file{"a kernel file", "CUDA C++ source"};
constexpr LearnerFileKind answer_file{"a file of answers", "the questions with an answer after each"};

// Throws UsageError for a folder, and for what cannot be read, is no text or has more than 1 MiB.
std::string read_learner_file(const std::filesystem::path& path, const LearnerFileKind& kind);

}  // namespace gpulab
