#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>
#include <utility>

#include "base/error.hpp"

namespace gpulab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double slice_s = 1;

// 0 for a process that is gone.
double cpu_seconds_of(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool wait_for(short what, int descriptor, TimeLimit& limit, const StopRequest& stop) {
  pollfd sources[] = {{.fd = descriptor, .events = what, .revents = 0},
                      {.fd = stop.descriptor, .events = POLLIN, .revents = 0}};
  while (const int slice_ms = limit.next_slice_ms()) {
    for (pollfd& source : sources) source.revents = 0;
    if (::poll(sources, std::size(sources), slice_ms) < 0 && errno != EINTR) return true;  // reading says why
    if (sources[1].revents != 0 && stop.is_made()) throw WorkStopped();
    if (sources[1].revents & ~POLLIN) sources[1].fd = -1;  // nobody is there any more
    if (sources[0].revents == 0) continue;
    limit.restart_idle_time();
    return true;
  }
  return false;
}

}  // namespace

TimeLimit::TimeLimit(double seconds, pid_t worker)
    : left_s_(seconds), own_cpu_s_(cpu_seconds_of(0)), worker_(worker), looked_(Clock::now()) {}

int TimeLimit::next_slice_ms() {
  constexpr double least_progress_s = 1e-3;
  const Clock::time_point now = Clock::now();
  const double own_cpu_s = cpu_seconds_of(0), passed_s = std::chrono::duration<double>(now - looked_).count();
  const double counted_s = std::min(passed_s, 1.5 * slice_s + own_cpu_s - own_cpu_s_);
  looked_ = now;
  own_cpu_s_ = own_cpu_s;
  left_s_ -= counted_s;
  if (const double cpu_s = worker_ > 0 ? cpu_seconds_of(worker_) : 0;
      cpu_s > worker_cpu_s_ + least_progress_s) {
    worker_cpu_s_ = cpu_s;
    idle_s_ = 0;
  } else if (worker_ > 0) {
    idle_s_ += counted_s;
  }
  if (left_s_ <= 0 || was_idle()) return 0;
  return std::max(1, static_cast<int>(1e3 * std::min(left_s_, slice_s)));
}

bool wait_to_read(int descriptor, TimeLimit& limit, const StopRequest& stop) {
  return wait_for(POLLIN, descriptor, limit, stop);
}

bool wait_to_write(int descriptor, TimeLimit& limit, const StopRequest& stop) {
  return wait_for(POLLOUT, descriptor, limit, stop);
}

namespace {

constexpr int asked_to_stop[] = {SIGINT, SIGTERM, SIGHUP};
// What a signal handler can reach.
volatile std::sig_atomic_t received = 0;
int pipe_ends[2] = {-1, -1};
struct sigaction before[std::size(asked_to_stop)];

extern "C" void on_signal(int signal) {
  const int error = errno;
  if (received == 0) received = signal;
  [[maybe_unused]] const ssize_t written = ::write(pipe_ends[1], "", 1);
  errno = error;
}

}  // namespace

Interruption::Interruption() {
  received = 0;
  if (::pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(ExitCode::device, std::string("cannot make a pipe: ") + std::strerror(errno));
  struct sigaction action {};
  action.sa_handler = &on_signal;
  for (std::size_t i = 0; i < std::size(asked_to_stop); ++i)
    ::sigaction(asked_to_stop[i], &action, &before[i]);
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < std::size(asked_to_stop); ++i)
    ::sigaction(asked_to_stop[i], &before[i], nullptr);
  for (int& end : pipe_ends) {
    ::close(end);
    end = -1;
  }
}

StopRequest Interruption::request() const {
  return {.descriptor = pipe_ends[0], .is_made = [] { return received != 0; }};
}

const char* Interruption::name() const {
  return received == SIGINT ? "SIGINT" : received == SIGTERM ? "SIGTERM" : "SIGHUP";
}

int Interruption::signal() const {
  return received;
}

namespace {

// The first letter of an answer. A digit, the exit code, comes after the second.
constexpr char returned = '+', thrown = '-';

[[noreturn]] void fail(const char* what) {
  throw Error(ExitCode::device, std::string("cannot check in a process of its own: ") + what +
                                    " failed: " + std::strerror(errno));
}

void write_to_parent(int file, const std::string& text) {
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
    write_to_parent(answer, answer_of(work));
    ::_exit(0);
  } catch (...) {
    ::_exit(1);
  }
}

// Whether the pipe has ended; false when the time is over first.
bool read_until_end(int pipe, TimeLimit limit, const StopRequest& stop, std::string& text) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26;
  std::array<char, 65536> piece;
  while (wait_to_read(pipe, limit, stop)) {
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
  const bool is_done = read_until_end(answer_, TimeLimit(time_limit_s), stop, output_);
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

Program::Wait Program::next_line(std::string& line, TimeLimit& limit, const StopRequest& stop) {
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return Wait::line;
    }
    if (!wait_to_read(output_, limit, stop)) return Wait::too_long;
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

}  // namespace gpulab
