#include "cli/output.hpp"

#include <fmt/core.h>
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

}  // namespace

Output::Output(std::optional<std::filesystem::path> file) : file_(std::move(file)) {
  if (!file_) return;
  if (std::filesystem::is_directory(*file_)) cannot_write(*file_, "it is a folder");
  // Devices and pipes (/dev/null, /dev/stdout) cannot be replaced by a renamed file.
  const bool is_special = std::filesystem::exists(*file_) && !std::filesystem::is_regular_file(*file_);
  temporary_ = is_special
                   ? *file_
                   : std::filesystem::path(file_->string() + "." + std::to_string(::getpid()) + ".part");
  if (!std::ofstream(temporary_)) cannot_write(*file_, std::strerror(errno));
}

Output::~Output() {
  std::error_code ignored;
  if (file_ && temporary_ != *file_) std::filesystem::remove(temporary_, ignored);
}

void Output::write(const std::string& text) {
  if (!file_) {
    fmt::print("{}", text);
    if (std::fflush(stdout) != 0) cannot_write("stdout", std::strerror(errno));
    return;
  }
  std::ofstream stream(temporary_, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) cannot_write(*file_, std::strerror(errno));
  std::error_code failed;
  if (temporary_ != *file_) std::filesystem::rename(temporary_, *file_, failed);
  if (failed) cannot_write(*file_, failed.message());
}

}  // namespace gpulab
