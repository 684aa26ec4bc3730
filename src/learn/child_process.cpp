#include "learn/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace gpulab::learn {
namespace {

// The first letter of an answer. A digit, the exit code, comes after the second.
constexpr char returned = '+', thrown = '-';

[[noreturn]] void fail(const char* what) {
  throw Error(ExitCode::device, std::string("cannot check in a process of its own: ") + what +
                                    " failed: " + std::strerror(errno));
}

void write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the parent is gone
    at += static_cast<std::size_t>(written);
  }
}

// What cannot be done on this machine at all, such as a missing compiler, is told by its message.
std::string answer_of(const std::function<std::string()>& work) {
  try {
    return returned + work();
  } catch (const Error& error) {
    return thrown + std::to_string(static_cast<int>(error.code())) + error.what();
  }
}

void end_the_group(int) {
  ::kill(0, SIGKILL);
}

// The child leads a group of its own, so that a compiler that it has started ends with it. Its parent's
// handlers are about the terminal, which is none of the child's business.
void end_with(pid_t parent) {
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGHUP, SIGQUIT, SIGABRT, SIGPIPE, SIGTSTP}) ::signal(signal, SIG_DFL);
  ::signal(SIGTERM, end_the_group);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);  // it has ended already
}

// A kernel's printf must neither fill the terminal nor be taken for the answer, which has a pipe of its own.
[[noreturn]] void be_the_child(const std::function<std::string()>& work, pid_t parent, int answer) {
  end_with(parent);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, file);
  try {
    write_all(answer, answer_of(work));
    ::_exit(0);
  } catch (...) {
    ::_exit(1);
  }
}

// Whether the pipe has ended; false when the time is over first.
bool read_until_end(int pipe, sandbox::TimeLimit limit, const StopRequest& stop, std::string& text) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26;
  std::array<char, 65536> piece;
  while (sandbox::wait_to_read(pipe, limit, stop)) {
    const ssize_t count = ::read(pipe, piece.data(), piece.size());
    if (count == 0) return true;
    if (count < 0 && errno != EINTR) fail("read");
    if (count > 0) text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > most_bytes) return false;
  }
  return false;
}

}  // namespace

ChildProcess::ChildProcess(const std::function<std::string()>& work) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) fail("pipe");
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ == 0) be_the_child(work, parent, pipe[1]);
  const int forked = errno;
  ::close(pipe[1]);
  answer_ = pipe[0];
  if (child_ < 0) {
    ::close(answer_);
    errno = forked;
    fail("fork");
  }
  ::setpgid(child_, child_);  // as the child does: whichever is first
}

ChildProcess::~ChildProcess() {
  if (child_ > 0) reap(ChildEnd::Kind::killed);
  ::close(answer_);
}

ChildEnd ChildProcess::wait(double time_limit_s, const StopRequest& stop) {
  const bool is_done = read_until_end(answer_, sandbox::TimeLimit(time_limit_s), stop, output_);
  return reap(is_done ? ChildEnd::Kind::finished : ChildEnd::Kind::time_limit);
}

ChildEnd ChildProcess::reap(ChildEnd::Kind kind) {
  ChildEnd end{.kind = kind, .output = std::move(output_)};
  const pid_t child = std::exchange(child_, -1);
  if (kind != ChildEnd::Kind::finished) ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (kind == ChildEnd::Kind::finished && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
    end.kind = ChildEnd::Kind::killed;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  if (end.kind != ChildEnd::Kind::finished || end.output.empty()) return end;
  if (end.output.size() > 1 && end.output[0] == thrown)
    throw Error(static_cast<ExitCode>(std::clamp(end.output[1] - '0', 1, 5)), end.output.substr(2));
  end.output.erase(0, 1);
  return end;
}

ChildEnd run_in_child(const std::function<std::string()>& work, double time_limit_s) {
  return ChildProcess(work).wait(time_limit_s);
}

}  // namespace gpulab::learn
