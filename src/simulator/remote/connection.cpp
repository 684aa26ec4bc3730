#include "simulator/remote/connection.hpp"

#include <fcntl.h>
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

#include "core/text.hpp"
#include "simulator/fault/kernel_code.hpp"
#include "simulator/remote/device_server.hpp"

namespace gpulab::simulator::remote {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(ExitCode::device, std::string("cannot run kernels in a process of their own: ") + what +
                                    " failed: " + std::strerror(errno));
}

struct Sockets {
  Sockets() {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair");
  }
  std::array<int, 2> ends{};
};

// Between fork and exec. The same program is started anew, so that nothing of this process's memory is in it.
[[noreturn]] void become_the_server(int socket, char* const* words, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it has ended already
  for (const int signal : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGTERM}) ::signal(signal, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, file);
  // Two steps, since the socket may have this number already, and must not be closed by exec.
  const int apart = ::fcntl(socket, F_DUPFD, servers_socket + 1);
  ::dup2(apart, servers_socket);
  ::syscall(SYS_close_range, servers_socket + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  ::execv("/proc/self/exe", words);
  ::_exit(127);
}

pid_t start_server(int socket, const Options& options) {
  std::vector<std::string> texts = words_for_server(options.mode, options.kernel_time_limit_s);
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  const pid_t parent = ::getpid(), process = ::fork();
  if (process == 0) become_the_server(socket, words.data(), parent);
  if (process < 0) fail("fork");
  return process;
}

// Throws in this process what was thrown in the other.
[[noreturn]] void throw_error(Answer kind, Reader answer) {
  if (kind == Answer::compile_error) {
    const auto message = answer.next<std::string>();
    const auto log = answer.next<std::string>();
    throw CompileError(message, log, answer.next<Failure>());
  }
  if (kind == Answer::error) {
    const auto code = answer.next<ExitCode>();
    throw Error(code, answer.next<std::string>());
  }
  const auto call = answer.next<std::string>();
  const auto name = answer.next<std::string>();
  const auto explanation = answer.next<std::string>();
  if (kind == Answer::launch_error)
    throw device::LaunchError(call, name, explanation, answer.next<Failure>());
  throw device::DeviceError(call, name, explanation, answer.next<Failure>());
}

}  // namespace

Connection::Connection(const Options& options)
    : deadline_(std::chrono::steady_clock::now() +
                std::chrono::milliseconds(static_cast<long long>(1e3 * options.time_limit_s))),
      time_limit_s_(options.time_limit_s),
      stop_(options.stop),
      channel_(-1) {
  sandbox::check_support(options.mode);  // here, where it can still be an ordinary error
  Sockets sockets;
  process_ = start_server(sockets.ends[1], options);
  ::close(sockets.ends[1]);
  channel_ = Channel(sockets.ends[0]);
}

Connection::~Connection() {
  if (process_ > 0) reap();
}

Reader Connection::ask(const std::string& bytes, int file) {
  if (gone_) throw *gone_;
  const std::string all = std::exchange(posted_, {}) + Writer()(bytes).take();
  if (!channel_.send(all, file)) end(false);
  return answer();
}

Reader Connection::answer() {
  for (;;) {
    if (!is_answered_in_time()) end(true);
    std::optional<Message> message = channel_.receive();
    if (!message) end(false);
    if (message->file >= 0) ::close(message->file);
    Reader answer(std::move(message->bytes));
    const auto kind = answer.next<Answer>();
    if (kind == Answer::done) return answer;
    if (kind != Answer::asks_for_lines) throw_error(kind, std::move(answer));
    if (!channel_.send(lines(std::move(answer)))) end(false);
  }
}

// Whoever stops the work is not interested in its answer any more.
bool Connection::is_answered_in_time() try {
  return channel_.wait(deadline_, stop_);
} catch (const sandbox::WorkStopped&) {
  reap();
  gone_.emplace("it was stopped on request", false, 0);
  throw;
}

std::string Connection::lines(Reader question) const {
  constexpr std::size_t most = 1000;  // more instructions than any report has
  const auto module = compiled_.find(question.next<Number>());
  auto offsets = question.next<std::vector<std::uintptr_t>>();
  std::vector<std::string> found(offsets.size());
  if (module != compiled_.end() && offsets.size() <= most)
    found = fault::found_lines(module->second.string(), offsets);
  return Writer()(found).take();
}

// To kill what has ended already does not change how it ended.
int Connection::reap() {
  const pid_t process = std::exchange(process_, -1);
  ::kill(process, SIGKILL);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Whoever asks again, such as what is cleaned up in between, is told the same.
void Connection::end(bool is_out_of_time) {
  const int status = reap();
  const int signal = !is_out_of_time && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  std::string why = "the process that ran it crashed";
  if (is_out_of_time)
    why = "it was stopped after " + with_decimals(time_limit_s_, 0) + " s";
  else if (signal == SIGSYS)
    why =
        "the process that ran it was ended by the sandbox: it asked the operating system for something that "
        "kernels have no business with";
  else if (signal)
    why += std::string(": ") + ::strsignal(signal);
  gone_.emplace(why, is_out_of_time, signal);
  throw *gone_;
}

}  // namespace gpulab::simulator::remote
