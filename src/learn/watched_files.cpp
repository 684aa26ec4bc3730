#include "learn/watched_files.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>

namespace gpulab::learn {

std::vector<std::filesystem::path> SavedFiles::take(const std::vector<std::filesystem::path>& files) {
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

FolderEvents::FolderEvents(const std::set<std::filesystem::path>& folders)
    : descriptor_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (descriptor_ < 0) return;
  for (const std::filesystem::path& folder : folders)
    ::inotify_add_watch(descriptor_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR);
}

FolderEvents::~FolderEvents() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FolderEvents::drain() const {
  char ignored[4096];
  while (descriptor_ >= 0 && ::read(descriptor_, ignored, sizeof ignored) > 0) continue;
}

std::vector<std::filesystem::path> FolderEvents::saved_of(const std::vector<std::filesystem::path>& files,
                                                          SavedFiles& known) const {
  std::vector<std::filesystem::path> saved = known.take(files);
  if (saved.empty()) return saved;
  wait_until_quiet();
  for (std::filesystem::path& again : known.take(files))
    if (std::ranges::find(saved, again) == saved.end()) saved.push_back(std::move(again));
  return saved;
}

void FolderEvents::wait_until_quiet() const {
  constexpr int quiet_ms = 100, max_rounds = 20;
  pollfd events{.fd = descriptor_, .events = POLLIN, .revents = 0};
  for (int round = 0; round < max_rounds && ::poll(&events, 1, quiet_ms) != 0; ++round) drain();
}

}  // namespace gpulab::learn
