#include "simulator/remote/connection.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
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

// CUDA's own names, which stand in sentences.
std::string error_name(Reader& answer) {
  std::string name = answer.text();
  const bool is_name = !name.empty() && name.size() < 80 && std::ranges::all_of(name, [](char letter) {
    return letter == '_' || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
  });
  if (!is_name) throw BadMessage();
  return name;
}

// Throws in this process what was thrown in the other. Its words are quoted where they would be this
// program's own.
[[noreturn]] void throw_error(Answer kind, Reader answer) {
  if (kind == Answer::compile_error) {
    const std::string message = answer.text(), log = printable_lines(answer.next<std::string>());
    throw CompileError(message, log, answer.last<Failure>());
  }
  if (kind == Answer::no_memory) throw Error(ExitCode::usage, "out of host memory: choose a smaller problem");
  if (kind == Answer::error) {
    const bool is_usage = answer.next<ExitCode>() == ExitCode::usage;
    throw Error(is_usage ? ExitCode::usage : ExitCode::device,
                "the process that runs the kernel cannot go on: \"" + answer.text() + "\"");
  }
  const std::string call = answer.text(), name = error_name(answer), explanation = answer.text();
  const auto failure = answer.last<Failure>();
  if (kind == Answer::launch_error) throw device::LaunchError(call, name, explanation, failure);
  throw device::DeviceError(call, name, explanation, failure);
}

}  // namespace

Connection::Connection(const Options& options)
    : time_limit_s_(options.time_limit_s), stop_(options.stop), channel_(-1) {
  sandbox::check_support(options.mode);  // here, where it can still be an ordinary error
  Sockets sockets;
  process_ = start_server(sockets.ends[1], options);
  limit_.emplace(time_limit_s_, process_);
  ::close(sockets.ends[1]);
  channel_ = Channel(sockets.ends[0]);
}

Connection::~Connection() {
  if (process_ > 0) reap();
}

Reader Connection::ask(const std::string& bytes, int file, std::size_t asked_for) {
  if (gone_) throw *gone_;
  return answer_of(std::exchange(posted_, {}) + Writer()(bytes).take(), file, asked_for);
}

// Whoever stops the work is not interested in its answer any more.
Reader Connection::answer_of(const std::string& all, int file, std::size_t asked_for) try {
  if (!channel_.send(all, file, {*limit_, stop_})) end(false);
  return answer(asked_for);
} catch (const OutOfTime&) {
  end(true);
} catch (const BadMessage& error) {
  end_with(error);
} catch (const sandbox::WorkStopped&) {
  reap();
  gone_.emplace("it was stopped on request", false, 0);
  throw;
}

Reader Connection::answer(std::size_t asked_for) {
  const Patience patience{*limit_, stop_};
  for (;;) {
    std::optional<std::string> message = channel_.receive(most_answer_bytes + asked_for, patience);
    if (!message) end(false);
    Reader answer(std::move(*message));
    const auto kind = answer.next<Answer>();
    if (kind == Answer::done) return answer;
    if (kind != Answer::asks_for_lines) throw_error(kind, std::move(answer));
    if (!channel_.send(lines(std::move(answer)), -1, patience)) end(false);
  }
}

std::string Connection::lines(Reader question) const {
  constexpr std::size_t most = 1000;  // more instructions than any report has
  const auto module = compiled_.find(question.next<Number>());
  const auto offsets = question.last<std::vector<std::uintptr_t>>();
  if (module == compiled_.end() || offsets.size() > most) throw BadMessage();
  return Writer()(fault::found_lines(module->second.string(), offsets)).take();
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
    why = limit_->was_idle() ? "it was stopped: for " + with_decimals(sandbox::TimeLimit::longest_idle_s, 0) +
                                   " s it neither computed nor answered"
                             : "it was stopped after " + with_decimals(time_limit_s_, 0) + " s";
  else if (signal == SIGSYS)
    why =
        "the process that ran it was ended by the sandbox: it asked the operating system for something that "
        "kernels have no business with";
  else if (signal)
    why += std::string(": ") + ::strsignal(signal);
  end_with({why, is_out_of_time, signal});
}

void Connection::end_with(DeviceGone why) {
  if (process_ > 0) reap();
  throw gone_.emplace(std::move(why));
}

}  // namespace gpulab::simulator::remote
