#include "exercise/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "core/error.hpp"

namespace gpulab {
namespace {

using Clock = std::chrono::steady_clock;

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

// A kernel's printf must neither fill the terminal nor be taken for the answer, which has a pipe of its own.
[[noreturn]] void be_the_child(const std::function<std::string()>& work, int answer) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
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
bool read_until_end(int pipe, Clock::time_point deadline, std::string& text) {
  std::array<char, 65536> piece;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(left)) < 0 && errno != EINTR) fail("poll");
    if (ready.revents == 0) continue;
    const ssize_t count = ::read(pipe, piece.data(), piece.size());
    if (count == 0) return true;
    if (count < 0 && errno != EINTR) fail("read");
    if (count > 0) text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

ChildEnd run_in_child(const std::function<std::string()>& work, double time_limit_s) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) fail("pipe");
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) be_the_child(work, pipe[1]);
  ::close(pipe[1]);

  ChildEnd end;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_limit_s));
  if (!read_until_end(pipe[0], deadline, end.output)) {
    end.kind = ChildEnd::Kind::time_limit;
    ::kill(child, SIGKILL);
  }
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (end.kind == ChildEnd::Kind::finished && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
    end.kind = ChildEnd::Kind::killed;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  if (end.kind != ChildEnd::Kind::finished) return end;
  if (end.output.size() > 1 && end.output[0] == thrown)
    throw Error(static_cast<ExitCode>(end.output[1] - '0'), end.output.substr(2));
  end.output.erase(0, 1);
  return end;
}

}  // namespace gpulab
