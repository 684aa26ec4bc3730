#include "program/process.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>

#include "program/report_wire.hpp"
#include "simulator/fault/kernel_code.hpp"
#include "simulator/remote/channel.hpp"

namespace gpulab::program {
namespace {

using simulator::remote::Channel;
using simulator::remote::Patience;
using simulator::remote::Reader;
using simulator::remote::Writer;

[[noreturn]] void fail(const char* what) {
  throw Error(ExitCode::device, std::string("cannot run the program in a process of its own: ") + what +
                                    " failed: " + std::strerror(errno));
}

// Pipes in the place of a program's standard files.
class Pipes {
 public:
  Pipes() {
    for (auto& pipe : ends_)
      if (::pipe2(pipe.data(), O_CLOEXEC) != 0) fail("pipe");
  }
  ~Pipes() {
    for (const auto& pipe : ends_)
      for (const int end : pipe)
        if (end >= 0) ::close(end);
  }
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;

  // In the program's process. Its input has come to its end.
  void become_standard_files() const {
    ::dup2(ends_[0][0], STDIN_FILENO);
    ::dup2(ends_[1][1], STDOUT_FILENO);
    ::dup2(ends_[2][1], STDERR_FILENO);
  }
  // In this one.
  void close_ends_of_the_program() {
    for (int* const end : {&ends_[0][0], &ends_[0][1], &ends_[1][1], &ends_[2][1]})
      ::close(std::exchange(*end, -1));
  }
  int output() const { return ends_[1][0]; }
  int errors() const { return ends_[2][0]; }

 private:
  std::array<std::array<int, 2>, 3> ends_{{{-1, -1}, {-1, -1}, {-1, -1}}};
};

void limit_resources(double time_limit_s) {
  const auto most_cpu_s = static_cast<rlim_t>(std::ceil(time_limit_s)) * 64;  // of all its threads
  constexpr rlim_t addresses = rlim_t{128} << 30;                             // more than the device reserves
  for (const auto& [resource, most] :
       {std::pair{RLIMIT_CPU, most_cpu_s}, {RLIMIT_AS, addresses}, {RLIMIT_CORE, 0}}) {
    const rlimit limit{most, most};
    ::setrlimit(resource, &limit);
  }
}

[[noreturn]] void become_the_program(int socket, pid_t parent, const Pipes* pipes, double time_limit_s) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int signal : {SIGINT, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_DFL);
  if (pipes) {
    pipes->become_standard_files();
    limit_resources(time_limit_s);
  }
  ::dup2(socket, programs_socket);
  ::syscall(SYS_close_range, STDERR_FILENO + 1, programs_socket - 1, CLOSE_RANGE_CLOEXEC);
  ::syscall(SYS_close_range, programs_socket + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  const char* const words[] = {"gpulab", programs_word, nullptr};
  ::execv("/proc/self/exe", const_cast<char* const*>(words));
  ::_exit(127);
}

// A signal from the keyboard is for the program; this process reports what came of it.
class IgnoredSignals {
 public:
  IgnoredSignals() {
    for (std::size_t i = 0; i < signals.size(); ++i) before_[i] = ::signal(signals[i], SIG_IGN);
  }
  ~IgnoredSignals() {
    for (std::size_t i = 0; i < signals.size(); ++i) ::signal(signals[i], before_[i]);
  }
  IgnoredSignals(const IgnoredSignals&) = delete;
  IgnoredSignals& operator=(const IgnoredSignals&) = delete;

 private:
  static constexpr std::array<int, 3> signals{SIGINT, SIGQUIT, SIGPIPE};
  std::array<void (*)(int), 3> before_{};
};

std::string lines_for(Reader& question, const CompiledProgram& program) {
  constexpr std::size_t most = 10'000;
  const auto offsets = question.last<std::vector<std::uintptr_t>>();
  if (offsets.size() > most) throw simulator::remote::BadMessage();
  return Writer()(simulator::fault::found_lines(program.shared_object.string(), offsets)).take();
}

// One message. False when the other end is gone. A process says once what it has seen.
bool answer(const Channel& channel, const CompiledProgram& program, const Patience& patience,
            ProgramResult& end) {
  constexpr std::size_t most_bytes = std::size_t{1} << 28;
  std::optional<std::string> message = channel.receive(most_bytes, patience);
  if (!message) return false;
  Reader question(std::move(*message));
  if (question.next<FromProgram>() == FromProgram::asks_for_lines)
    return channel.send(lines_for(question, program), -1, patience);
  if (std::exchange(end.has_report, true)) throw simulator::remote::BadMessage();
  end.report = read_report(question);
  return channel.send(Writer()(true).take(), -1, patience);
}

// Reads what is there. False when there is no more to come.
bool take(int pipe, std::string& text) {
  std::array<char, 65536> piece;
  const ssize_t count = ::read(pipe, piece.data(), piece.size());
  if (count < 0) return errno == EINTR;
  text.append(piece.data(), static_cast<std::size_t>(count));
  return count > 0;
}

// Answers and reads until the program has ended; which limit came first.
ProgramLimit keep_all(int socket, const Channel& channel, const Pipes& pipes, const CompiledProgram& program,
                      const Kept& kept, ProgramResult& end) {
  constexpr std::size_t most_output = std::size_t{1} << 20;
  sandbox::TimeLimit limit(kept.time_limit_s);
  std::array<pollfd, 4> open{{{socket, POLLIN, 0},
                              {pipes.output(), POLLIN, 0},
                              {pipes.errors(), POLLIN, 0},
                              {kept.stop.descriptor, POLLIN, 0}}};
  while (open[0].fd >= 0 || open[1].fd >= 0 || open[2].fd >= 0) {
    const int slice_ms = limit.next_slice_ms();
    if (slice_ms == 0) return ProgramLimit::time;
    for (pollfd& source : open) source.revents = 0;
    if (::poll(open.data(), open.size(), slice_ms) < 0) continue;
    if (open[3].revents && kept.stop.is_made()) throw sandbox::WorkStopped();
    if (open[0].revents && !answer(channel, program, {limit, kept.stop}, end)) open[0].fd = -1;
    if (open[1].revents && !take(pipes.output(), end.output)) open[1].fd = -1;
    if (open[2].revents && !take(pipes.errors(), end.errors)) open[2].fd = -1;
    if (end.output.size() + end.errors.size() > most_output) return ProgramLimit::output;
  }
  return ProgramLimit::none;
}

// Until a program that nobody hurries has ended. What it has begun to say it says in one go.
void answer_all(int socket, const Channel& channel, const CompiledProgram& program, ProgramResult& end) {
  constexpr double for_one_message_s = 30;
  pollfd source{socket, POLLIN, 0};
  for (bool is_there = true; is_there;) {
    if (::poll(&source, 1, -1) < 0) continue;
    sandbox::TimeLimit limit(for_one_message_s);
    is_there = answer(channel, program, {limit, {}}, end);
  }
}

// The program's process, which does not outlive this object.
class Process {
 public:
  explicit Process(pid_t process) : process_(process) {}
  ~Process() {
    if (process_ > 0) end(true, {});
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Returns its status. One that is kept, and has closed all that it could write to, may sleep on.
  int end(bool is_killed, const std::optional<Kept>& kept) {
    if (!is_killed && kept) is_killed = !ends_soon(kept->stop);
    if (is_killed) ::kill(process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  bool ends_soon(const sandbox::StopRequest& stop) const {
    const int file = static_cast<int>(::syscall(SYS_pidfd_open, process_, 0));
    sandbox::TimeLimit limit(2);
    const bool has_ended = file >= 0 && sandbox::wait_to_read(file, limit, stop);
    if (file >= 0) ::close(file);
    return has_ended;
  }

  pid_t process_;
};

}  // namespace

ProgramResult run(const CompiledProgram& program, const RunOptions& options) {
  sandbox::check_support(options.sandbox);
  if (rlimit files{}; ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur <= programs_socket)
    throw Error(ExitCode::device, "cannot run the program in a process of its own: only " +
                                      std::to_string(files.rlim_cur) +
                                      " files may be open at once; allow more (ulimit -n 1024)");
  std::fflush(nullptr);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair");
  std::optional<IgnoredSignals> ignored;
  std::optional<Pipes> pipes;
  if (options.kept)
    pipes.emplace();
  else
    ignored.emplace();
  const double time_limit_s = options.kept ? options.kept->time_limit_s : 0;
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) become_the_program(ends[1], parent, pipes ? &*pipes : nullptr, time_limit_s);
  ::close(ends[1]);
  Channel channel(ends[0]);
  if (child < 0) fail("fork");
  Process process(child);
  if (pipes) pipes->close_ends_of_the_program();
  ProgramResult end{.watch = options.watch};
  channel.send(Writer()(std::string(sandbox::name_of(options.sandbox)), program.shared_object.string(),
                        program.main_file, program.kernels, options.watch, options.name, options.arguments,
                        time_limit_s, options.kept && options.kept->keeps_copies)
                   .take());
  try {
    if (pipes) {
      end.limit = keep_all(ends[0], channel, *pipes, program, *options.kept, end);
    } else {
      answer_all(ends[0], channel, program, end);
    }
  } catch (const simulator::remote::OutOfTime&) {
    end.limit = ProgramLimit::time;
  } catch (const simulator::remote::BadMessage&) {
    end.limit = ProgramLimit::message;
  }
  if (end.limit != ProgramLimit::none) end.has_report = false;
  channel = Channel(-1);  // so that nobody waits for an answer
  const int status = process.end(end.limit != ProgramLimit::none, options.kept);
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.status = WIFSIGNALED(status) ? 128 + end.signal : WEXITSTATUS(status);
  return end;
}

}  // namespace gpulab::program
