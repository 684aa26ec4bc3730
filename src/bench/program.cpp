#include "bench/program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace gpulab::bench {
namespace {

[[noreturn]] void fail(const std::string& program, const char* what) {
  throw Error(ExitCode::device, "cannot run " + program + ": " + what + " failed: " + std::strerror(errno));
}

// A file without a name, so that neither side waits for the other.
int file_with(const std::string& text) {
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  for (std::size_t at = 0; file >= 0 && at < text.size();) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written <= 0) return -1;
    at += static_cast<std::size_t>(written);
  }
  if (file >= 0) ::lseek(file, 0, SEEK_SET);
  return file;
}

// Between fork and exec. Ctrl-C is for the parent, which stops this process when it has kept what was
// measured.
[[noreturn]] void become(char* const* words, int input, int output, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it has ended already
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::execvp(words[0], words);
  ::_exit(127);
}

}  // namespace

Program::Program(const std::vector<std::string>& words, const std::string& input) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  int ends[2];
  const int stdin_file = file_with(input);
  if (stdin_file < 0 || ::pipe2(ends, O_CLOEXEC) != 0) fail(words.front(), "making a pipe");
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) become(pointers.data(), stdin_file, ends[1], parent);
  ::close(stdin_file);
  ::close(ends[1]);
  output_ = ends[0];
  if (process_ < 0) fail(words.front(), "fork");
}

Program::~Program() {
  if (output_ >= 0) ::close(output_);
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  exit_status();
}

Program::Wait Program::next_line(std::string& line, sandbox::TimeLimit& limit,
                                 const sandbox::StopRequest& stop) {
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return Wait::line;
    }
    if (!sandbox::wait_to_read(output_, limit, stop)) return Wait::too_long;
    char piece[1 << 16];
    const ssize_t got = ::read(output_, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Wait::end;
    unread_.append(piece, static_cast<std::size_t>(got));
  }
}

int Program::exit_status() {
  const pid_t process = std::exchange(process_, -1);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace gpulab::bench
