#include "core/files.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.hpp"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& file, const std::string& why) {
  throw UsageError("cannot write " + file.string() + ": " + why);
}

// A hidden file in the same folder, which is gone when this is.
class TemporaryFile {
 public:
  TemporaryFile(const fs::path& file, const std::string& text)
      : path_(file.parent_path() /
              ("." + file.filename().string() + "." + std::to_string(::getpid()) + ".part")) {
    std::ofstream stream(path_, std::ios::binary);
    stream << text;
    stream.close();
    if (stream) return;
    const std::string why = std::strerror(errno);
    remove();
    cannot_write(file, why);
  }
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const fs::path& path() const { return path_; }

 private:
  void remove() const { ::unlink(path_.c_str()); }

  fs::path path_;
};

}  // namespace

bool create_file(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored))) return false;
  const TemporaryFile temporary(file, text);
  return add_name(temporary.path(), file);
}

void replace_file(const fs::path& file, const std::string& text) {
  const TemporaryFile temporary(file, text);
  if (::rename(temporary.path().c_str(), file.c_str()) != 0) cannot_write(file, std::strerror(errno));
}

bool add_name(const fs::path& file, const fs::path& name) {
  if (::link(file.c_str(), name.c_str()) == 0) return true;
  if (errno == EEXIST) return false;
  // Not every file system has hard links.
  if (::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  cannot_write(name, std::strerror(errno));
}

fs::path target_of(const fs::path& file) {
  std::error_code failed;
  const fs::path target = fs::weakly_canonical(file, failed);
  return failed ? file : target;
}

}  // namespace gpulab
