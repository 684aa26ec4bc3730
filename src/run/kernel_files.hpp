#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/lesson.hpp"
#include "device/device.hpp"

namespace gpulab::run {

// What a file should be, in the words of messages about files that are something else.
struct TextFileKind {
  const char* name;     // "a kernel file"
  const char* content;  // "CUDA C++ source"
};

constexpr TextFileKind kernel_file{"a kernel file", "CUDA C++ source"};

// More would keep a compiler busy for minutes.
constexpr std::size_t max_text_bytes = std::size_t{1} << 20;

// What somebody has written. Throws UsageError, in one sentence, when it cannot be read, is no text, or is
// larger than that.
std::string read_text_file(const std::filesystem::path& file, const TextFileKind& kind);

// The same of what was read of the file, of which one byte more says that it has more.
std::string text_of_file(const std::filesystem::path& file, const std::string& bytes,
                         const TextFileKind& kind);

// The kernel files of one lesson: embedded in the program or, where a folder is given, the copies found
// there.
class KernelFiles {
 public:
  // Throws UsageError when the folder cannot be read or has none of the lesson's files.
  KernelFiles(const Lesson& lesson, const std::optional<std::filesystem::path>& folder);

  const device::KernelSource& of(const Variant& variant) const;

  // Whether somebody has changed the variant's file.
  bool is_edited(const Variant& variant) const;

  // Another text for a file of the lesson, such as a learner's.
  void replace(const std::string& file, device::KernelSource source);

  // Files that the folder lacks, so that the built-in ones are used.
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  std::string lessons_file_;
  std::vector<std::pair<std::string, device::KernelSource>> sources_;  // by file name
  std::vector<std::string> missing_;
};

// What to say of a file that the folder lacks.
std::string missing_kernel_file(const std::filesystem::path& folder, const std::string& file);

// The built-in text of a file in kernels/. Throws std::logic_error when there is none.
std::string embedded_kernel_file(const std::string& name);

}  // namespace gpulab::run
