#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "core/error.hpp"

namespace gpulab {
namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& file, const std::string& why) {
  throw UsageError("cannot write " + file.string() + ": " + why);
}

// Where the text really goes: a link keeps pointing where it points.
std::filesystem::path target_of(const std::filesystem::path& file) {
  std::error_code failed;
  const auto target = std::filesystem::weakly_canonical(file, failed);
  if (failed) cannot_write(file, failed.message());
  return target;
}

// What is no file on a disk, such as /dev/null, a pipe or /dev/stdout, cannot be replaced by a renamed one.
bool is_written_in_place(const std::filesystem::path& file, const std::filesystem::path& target) {
  std::error_code ignored;
  const bool is_device = file.string().starts_with("/dev/") || file.string().starts_with("/proc/");
  return is_device ||
         (std::filesystem::exists(target, ignored) && !std::filesystem::is_regular_file(target, ignored));
}

}  // namespace

Output::Output(const std::optional<std::filesystem::path>& file) {
  if (!file) return;
  file_ = target_of(*file);
  std::error_code ignored;
  if (std::filesystem::is_directory(*file_, ignored)) cannot_write(*file, "it is a folder");
  written_ = *file_;
  if (!is_written_in_place(*file, *file_)) written_ += "." + std::to_string(::getpid()) + ".part";
  if (!std::ofstream(written_, std::ios::app)) cannot_write(*file, std::strerror(errno));
}

Output::~Output() {
  std::error_code ignored;
  if (file_ && written_ != *file_) std::filesystem::remove(written_, ignored);
}

void Output::write(const std::string& text) {
  if (!file_) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      cannot_write("to stdout", std::strerror(errno));
    return;
  }
  std::ofstream stream(written_, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) cannot_write(*file_, std::strerror(errno));
  std::error_code failed;
  if (written_ != *file_) std::filesystem::rename(written_, *file_, failed);
  if (failed) cannot_write(*file_, failed.message());
}

}  // namespace gpulab
