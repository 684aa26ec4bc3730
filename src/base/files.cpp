#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace gpulab {

namespace fs = std::filesystem;

void throw_unwritable(const fs::path& file, const std::string& why) {
  const std::string text = fmt::format("cannot write {}: {}", file.lexically_normal().string(), why);
  for (const int fault_of_machine : {ENOSPC, EDQUOT, EIO})
    if (why == std::strerror(fault_of_machine)) throw Error(ExitCode::device, text);
  throw UsageError(text);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool has_content(const fs::path& file) {
  std::error_code failed;
  return is_file(file) && fs::file_size(file, failed) > 0 && !failed;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

void make_folder(const fs::path& folder) {
  std::error_code failed, ignored;
  fs::create_directories(folder, failed);
  if (!fs::is_directory(folder, ignored))
    throw UsageError(fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));
}

namespace {

// A hidden file in the same folder, removed on destruction. Never opens an existing file or link, which may
// be another user's: it tries other names instead.
class TemporaryFile {
 public:
  TemporaryFile(int folder, const fs::path& file, const std::string& text) : folder_(folder) {
    constexpr std::size_t max_name_bytes = 200;  // a whole name may have 255
    const std::string name =
        fmt::format(".{}.{}", file.filename().string().substr(0, max_name_bytes), ::getpid());
    int descriptor = -1;
    for (int number = 0; number < 100 && descriptor < 0; ++number) {
      name_ = name + (number > 0 ? "-" + std::to_string(number) : "") + ".part";
      descriptor =
          ::openat(folder, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (descriptor < 0 && errno != EEXIST) throw_unwritable(file, std::strerror(errno));
    }
    const Descriptor opened(descriptor);
    if (opened.is_open() && write_all(descriptor, text)) return;
    const std::string why = std::strerror(errno);
    if (descriptor >= 0) remove();
    throw_unwritable(file, why);
  }
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& name() const { return name_; }

 private:
  void remove() const { ::unlinkat(folder_, name_.c_str(), 0); }

  int folder_;
  std::string name_;
};

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// Waits for a pipe's writer, which may not exist. Returns false if nothing has come by then.
bool has_something_to_read(int descriptor) {
  constexpr int patience_ms = 5000;
  pollfd source{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&source, 1, patience_ms) > 0;
}

constexpr int read_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

// Reads an open file or pipe, which messages call `name`.
std::string read_opened(const Descriptor& opened, std::size_t max_bytes, const std::string& name) {
  const auto refuse = [&](const std::string& why) { throw UnreadableFile(name, why); };
  struct stat facts {};
  if (!opened.is_open() || ::fstat(opened.number(), &facts) != 0) refuse(std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) refuse("it is a folder");
  if (!S_ISREG(facts.st_mode) && !S_ISFIFO(facts.st_mode)) refuse("it is a device, not a file");
  // Grown as data arrives, because most files are far below a limit of many megabytes.
  std::string text;
  while (text.size() <= max_bytes) {
    if (!has_something_to_read(opened.number())) refuse("it is a pipe that nobody writes to");
    const std::ptrdiff_t bytes_read = read_more(opened.number(), text);
    if (bytes_read < 0 && errno != EAGAIN) refuse(std::strerror(errno));
    if (bytes_read == 0) break;
  }
  text.resize(std::min(text.size(), max_bytes + 1));
  return text;
}

}  // namespace

std::string read_file(const fs::path& file, std::size_t max_bytes, const std::string& what) {
  return read_opened(Descriptor(::open(file.c_str(), read_flags)), max_bytes, what + file.string());
}

bool has_text(const fs::path& file, const std::string& text) {
  try {
    return read_file(file, text.size()) == text;
  } catch (const UsageError&) {
    return false;
  }
}

std::string read_file_below(const fs::path& folder, const fs::path& file, std::size_t max_bytes) {
  constexpr int folder_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor parent(::open(folder.c_str(), folder_flags));
  for (const fs::path& part : file.parent_path())
    parent = Descriptor(::openat(parent.number(), part.c_str(), folder_flags));
  return read_opened(Descriptor(::openat(parent.number(), file.filename().c_str(), read_flags | O_NOFOLLOW)),
                     max_bytes, (folder / file).string());
}

std::string without_byte_order_mark(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

bool create_file(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored))) return false;
  const OpenFolder folder(folder_of(file));
  const TemporaryFile temporary(folder.descriptor(), file, text);
  return add_name(folder_of(file) / temporary.name(), file);
}

void replace_file(const fs::path& file, const std::string& text) {
  OpenFolder(folder_of(file)).replace(file.filename(), text);
}

OpenFolder::OpenFolder(const fs::path& folder)
    : path_(folder), opened_(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (!opened_.is_open()) throw_unwritable(folder, std::strerror(errno));
}

void OpenFolder::replace(const fs::path& name, const std::string& text) const {
  const TemporaryFile temporary(opened_.number(), path_ / name, text);
  if (::renameat(opened_.number(), temporary.name().c_str(), opened_.number(), name.c_str()) != 0)
    throw_unwritable(path_ / name, std::strerror(errno));
}

void OpenFolder::write_in_place(const fs::path& name, const std::string& text) const {
  const Descriptor opened(
      ::openat(opened_.number(), name.c_str(), O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  if (!opened.is_open() || !write_all(opened.number(), text))
    throw_unwritable(path_ / name, std::strerror(errno));
}

bool add_name(const fs::path& file, const fs::path& name) {
  if (::link(file.c_str(), name.c_str()) == 0) return true;
  if (errno == EEXIST) return false;
  // Some file systems have no hard links.
  if (::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  throw_unwritable(name, std::strerror(errno));
}

namespace {

fs::path lock_file_of(const fs::path& file) {
  constexpr std::size_t max_name_bytes = 200;  // a whole name may have 255
  return file.parent_path() / ("." + file.filename().string().substr(0, max_name_bytes) + ".lock");
}

bool is_same_file(const fs::path& name, int descriptor) {
  struct stat opened = {}, named = {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(name.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(const fs::path& file) : lock_file_(lock_file_of(target_of(file))) {
  while (true) {
    opened_ = Descriptor(::open(lock_file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!opened_.is_open()) throw_unwritable(file, std::strerror(errno));
    struct flock whole_file {};
    whole_file.l_type = F_WRLCK;
    if (::fcntl(opened_.number(), F_SETLK, &whole_file) != 0)
      throw_unwritable(file, "another gpulab is writing it; name another file, or wait until that has ended");
    if (is_same_file(lock_file_, opened_.number())) return;
    // Another process may have removed the file between the two calls.
  }
}

bool is_locked(const fs::path& file) {
  const Descriptor opened(::open(lock_file_of(target_of(file)).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  struct flock whole_file {};
  whole_file.l_type = F_WRLCK;
  return opened.is_open() && ::fcntl(opened.number(), F_GETLK, &whole_file) == 0 &&
         whole_file.l_type != F_UNLCK;
}

FileLock::~FileLock() {
  ::unlink(lock_file_.c_str());
}

std::optional<fs::path> set_aside(const fs::path& file) try {
  for (int number = 1; number < 100; ++number) {
    fs::path name = file;
    name += number == 1 ? ".previous" : ".previous-" + std::to_string(number);
    if (!add_name(file, name)) continue;
    ::unlink(file.c_str());
    return name;
  }
  return std::nullopt;
} catch (const Error&) {
  return std::nullopt;
}

fs::path target_of(const fs::path& file) {
  constexpr int max_links = 40;
  std::error_code failed;
  fs::path resolved = file;  // also the name of a missing file that a link leads to
  for (int link = 0; link < max_links && fs::is_symlink(fs::symlink_status(resolved, failed)); ++link) {
    const fs::path next = fs::read_symlink(resolved, failed);
    if (failed) return file;
    resolved = resolved.parent_path() / next;
  }
  const fs::path target = fs::weakly_canonical(resolved, failed);
  return failed ? file : target;
}

std::vector<std::filesystem::path> SavedFiles::take_changed(const std::vector<std::filesystem::path>& files) {
  std::vector<std::filesystem::path> saved;
  for (const std::filesystem::path& file : files) {
    struct stat facts {};
    if (::stat(file.c_str(), &facts) != 0) continue;
    const Version version{.seconds = facts.st_mtim.tv_sec,
                          .nanoseconds = facts.st_mtim.tv_nsec,
                          .inode = facts.st_ino,
                          .bytes = static_cast<std::uint64_t>(facts.st_size)};
    const auto known = versions_.find(file);
    if (known != versions_.end() && known->second == version) continue;
    versions_[file] = version;
    saved.push_back(file);
  }
  return saved;
}

std::vector<std::filesystem::path> SavedFiles::gone() const {
  std::vector<std::filesystem::path> all;
  std::error_code ignored;
  for (const auto& [file, version] : versions_)
    if (!std::filesystem::exists(file, ignored)) all.push_back(file);
  return all;
}

std::vector<std::filesystem::path> SavedFiles::take_gone() {
  std::vector<std::filesystem::path> all = gone();
  for (const std::filesystem::path& file : all) versions_.erase(file);
  return all;
}

std::vector<std::filesystem::path> FolderEvents::gone_of(SavedFiles& known) const {
  if (!known.gone().empty()) wait_until_quiet();
  return known.take_gone();
}

FolderEvents::FolderEvents(const std::set<std::filesystem::path>& folders)
    : notifications_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (!notifications_.is_open()) return;
  for (const std::filesystem::path& folder : folders)
    ::inotify_add_watch(notifications_.number(), folder.c_str(),
                        IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR);
}

void FolderEvents::drain() const {
  char ignored[4096];
  while (notifications_.is_open() && ::read(notifications_.number(), ignored, sizeof ignored) > 0) continue;
}

std::vector<std::filesystem::path> FolderEvents::saved_of(const std::vector<std::filesystem::path>& files,
                                                          SavedFiles& known) const {
  std::vector<std::filesystem::path> saved = known.take_changed(files);
  if (saved.empty()) return saved;
  wait_until_quiet();
  for (std::filesystem::path& again : known.take_changed(files))
    if (std::ranges::find(saved, again) == saved.end()) saved.push_back(std::move(again));
  return saved;
}

void FolderEvents::wait_until_quiet() const {
  constexpr int quiet_ms = 100, max_rounds = 20;
  pollfd events{.fd = notifications_.number(), .events = POLLIN, .revents = 0};
  for (int round = 0; round < max_rounds && ::poll(&events, 1, quiet_ms) != 0; ++round) drain();
}

}  // namespace gpulab
