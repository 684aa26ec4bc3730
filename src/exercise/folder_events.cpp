#include "exercise/folder_events.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace gpulab {

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

void FolderEvents::wait_until_quiet() const {
  constexpr int quiet_ms = 100, most_rounds = 20;
  pollfd events{.fd = descriptor_, .events = POLLIN, .revents = 0};
  for (int round = 0; round < most_rounds && ::poll(&events, 1, quiet_ms) != 0; ++round) drain();
}

}  // namespace gpulab
