#include "exercise/progress_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "exercise/file_names.hpp"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

// A folder is locked by whoever changes the progress in it: the file itself is replaced, so a lock on it
// would be lost. Network file systems may have no such locks; then the later of two changes at the same
// instant is kept.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) : descriptor_(::open(folder.c_str(), O_RDONLY | O_CLOEXEC)) {
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) continue;
  }
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

[[noreturn]] void cannot_read(const fs::path& file, const std::string& why) {
  throw UsageError("cannot read the progress in " + file.string() + ": " + why);
}

// Where the text really is: a link keeps pointing where it points.
fs::path target_of(const fs::path& file) {
  std::error_code failed;
  const fs::path target = fs::weakly_canonical(file, failed);
  return failed ? file : target;
}

}  // namespace

ProgressFile::ProgressFile(const fs::path& folder) : folder_(folder), file_(folder / "gpulab-progress.txt") {
  if (folder == ".") file_ = file_.filename();
}

Progress ProgressFile::read() const {
  errno = 0;
  std::ifstream stream(file_, std::ios::binary);
  if (!stream) {
    if (errno == ENOENT) return Progress();
    cannot_read(file_, std::strerror(errno));
  }
  std::error_code ignored;
  if (fs::is_directory(file_, ignored)) cannot_read(file_, "it is a folder");
  return Progress({std::istreambuf_iterator<char>(stream), {}});
}

void ProgressFile::change(const std::function<void(Progress&)>& change) const {
  const FolderLock lock(folder_);
  Progress progress = read();
  change(progress);
  replace_file(target_of(file_), progress.text());
}

void ProgressFile::change(const std::string& lesson,
                          const std::function<void(ExerciseProgress&)>& change_one) const {
  change([&](Progress& progress) {
    ExerciseProgress of_lesson = progress.of(lesson);
    change_one(of_lesson);
    progress.set(lesson, of_lesson);
  });
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[sizeof "0000-00-00"] = "";
  if (::localtime_r(&now, &local)) std::strftime(text, sizeof text, "%F", &local);
  return text;
}

}  // namespace gpulab
