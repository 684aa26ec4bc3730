#include "program/process.hpp"

#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "program/report_wire.hpp"
#include "simulator/fault/kernel_code.hpp"
#include "simulator/remote/channel.hpp"

namespace gpulab::program {
namespace {

using simulator::remote::Channel;
using simulator::remote::Message;
using simulator::remote::Reader;
using simulator::remote::Writer;

[[noreturn]] void fail(const char* what) {
  throw Error(ExitCode::device,
              std::string("cannot run the program in a process of its own: ") + what + " failed: " + std::strerror(errno));
}

[[noreturn]] void become_the_program(int socket, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int signal : {SIGINT, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_DFL);
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
  const auto offsets = question.next<std::vector<std::uintptr_t>>();
  std::vector<std::string> found(offsets.size());
  if (offsets.size() <= most) found = simulator::fault::found_lines(program.shared_object.string(), offsets);
  return Writer()(found).take();
}

// Until the other end is gone.
void answer(const Channel& channel, const CompiledProgram& program, ProgramResult& end) {
  while (std::optional<Message> message = channel.receive()) {
    Reader question(std::move(message->bytes));
    const auto kind = question.next<FromProgram>();
    if (kind == FromProgram::asks_for_lines) {
      if (!channel.send(lines_for(question, program))) return;
      continue;
    }
    end.report = read_report(question);
    end.has_report = true;
    channel.send(Writer()(true).take());
  }
}

}  // namespace

ProgramResult run(const CompiledProgram& program, const RunOptions& options) {
  sandbox::check_support(options.sandbox);
  std::fflush(nullptr);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair");
  const IgnoredSignals ignored;
  const pid_t parent = ::getpid(), process = ::fork();
  if (process == 0) become_the_program(ends[1], parent);
  ::close(ends[1]);
  Channel channel(ends[0]);
  if (process < 0) fail("fork");
  ProgramResult end{.watch = options.watch};
  channel.send(Writer()(std::string(sandbox::name_of(options.sandbox)), program.shared_object.string(), program.main_file,
                        program.kernels, options.watch, options.name, options.arguments)
                   .take());
  try {
    answer(channel, program, end);
  } catch (const std::runtime_error&) {  // a message that makes no sense
    ::kill(process, SIGKILL);
  }
  channel = Channel(-1);  // so that nobody waits for an answer
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.status = WIFSIGNALED(status) ? 128 + end.signal : WEXITSTATUS(status);
  return end;
}

}  // namespace gpulab::program
