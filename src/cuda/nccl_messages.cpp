#include <fcntl.h>
#include <poll.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>

#include "cuda/nccl.hpp"

namespace gpulab::cuda {
namespace {

// The end of a pipe into which NCCL prints.
int messages = -1;

// Passes on what is there, and waits for more if it may.
void pass_on(bool waits) {
  char text[4096];
  pollfd ready{.fd = messages, .events = POLLIN, .revents = 0};
  while (true) {
    const int count_ready = ::poll(&ready, 1, waits ? -1 : 0);
    if (count_ready < 0 && errno == EINTR) continue;
    if (count_ready <= 0) return;
    const ssize_t count = ::read(messages, text, sizeof text);
    for (ssize_t done = 0, now = 0; done < count; done += now)
      if ((now = ::write(STDERR_FILENO, text + done, static_cast<std::size_t>(count - done))) <= 0) break;
  }
}

// NCCL opens its file anew and truncates it. /dev/stderr would lose what is in it if it is a file, as in a
// batch job, and cannot be opened if it is a socket: then NCCL takes stdout. The path has the process in it
// for the processes that this one starts.
bool lead_to_stderr() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  messages = ends[0];
  ::fcntl(messages, F_SETFL, O_NONBLOCK);
  ::setenv("NCCL_DEBUG_FILE",
           ("/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(ends[1])).c_str(), 1);
  std::thread([] { pass_on(true); }).detach();
  std::atexit([] { pass_on(false); });
  return true;
}

bool is_stdout(const char* file) {
  struct stat named {
  }, own{};
  return ::stat(file, &named) == 0 && ::fstat(STDOUT_FILENO, &own) == 0 && named.st_dev == own.st_dev &&
         named.st_ino == own.st_ino;
}

}  // namespace

void keep_nccl_off_stdout() {
  const char* const file = std::getenv("NCCL_DEBUG_FILE");
  if ((!file || !*file || is_stdout(file)) && !lead_to_stderr())
    ::setenv("NCCL_DEBUG_FILE", "/dev/stderr", 1);
  // That level alone goes to stdout whatever the file is. The next one says the same, and warns.
  if (const char* level = std::getenv("NCCL_DEBUG"); level && ::strcasecmp(level, "VERSION") == 0)
    ::setenv("NCCL_DEBUG", "WARN", 1);
}

}  // namespace gpulab::cuda
