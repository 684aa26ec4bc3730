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

namespace fs = std::filesystem;

// Where the text really goes: a link keeps pointing where it points.
fs::path target_of(const fs::path& file) {
  std::error_code failed;
  const fs::path target = fs::weakly_canonical(file, failed);
  if (failed) cannot_write(file, failed.message());
  return target;
}

bool is_device(const fs::path& file) {
  return file.string().starts_with("/dev/") || file.string().starts_with("/proc/");
}

// What is no file on a disk, such as a pipe, /dev/null or /dev/stdout, cannot be replaced by a renamed one.
bool is_written_in_place(const fs::path& file) {
  std::error_code ignored;
  return is_device(file) || (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored));
}

// Without opening it: a pipe's reader would take that for the end.
void check_writable(const fs::path& file) {
  std::error_code ignored;
  if (file.empty()) throw UsageError("an output file needs a name");
  if (fs::is_directory(file, ignored)) cannot_write(file, "it is a folder");
  // A new file in a folder is fine; a name that is too long, or a new device, is not.
  const bool may_be_new = !is_device(file);
  if (::access(file.c_str(), F_OK) != 0 && !(errno == ENOENT && may_be_new))
    cannot_write(file, std::strerror(errno));
  if (::access(file.c_str(), F_OK) == 0 && ::access(file.c_str(), W_OK) != 0)
    cannot_write(file, std::strerror(errno));
}

}  // namespace

Output::Output(const std::optional<fs::path>& file) : file_(file) {
  if (!file_) return;
  check_writable(*file_);
  if (is_written_in_place(*file_)) {
    written_ = *file_;
    return;
  }
  file_ = target_of(*file_);
  const fs::path folder = file_->has_parent_path() ? file_->parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) cannot_write(*file, std::strerror(errno));
  written_ = file_->string() + "." + std::to_string(::getpid()) + ".part";
}

Output::~Output() {
  std::error_code ignored;
  if (file_ && written_ != *file_) fs::remove(written_, ignored);
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
  if (written_ != *file_) fs::rename(written_, *file_, failed);
  if (failed) cannot_write(*file_, failed.message());
}

}  // namespace gpulab
