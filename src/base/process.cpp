#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <omp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace gpulab {
namespace {

// Casts away const for exec, which does not change the strings.
std::vector<char*> pointers_to(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void kill_own_group(int) {
  ::kill(0, SIGKILL);
}

int wait_for_status(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Everything a child does before its program runs. Memory is allocated beforehand.
class ChildStart {
 public:
  explicit ChildStart(const ChildPlan& plan)
      : plan_(plan),
        file_(plan.file.empty() && !plan.program.empty() ? plan.program.front() : plan.file),
        arguments_(pointers_to(plan.program)),
        environment_(pointers_to(plan.environment)) {}

  [[noreturn]] void run(pid_t parent) const {
    if (plan_.lifetime != ChildLifetime::independent) end_with(parent);
    if (plan_.lifetime == ChildLifetime::with_descendants && !plan_.work) lead_group();
    if (!plan_.work) become_the_program();
    set_descriptors();
    close_other_files(/*flags=*/0);
    try {
      plan_.work();
      ::_exit(0);
    } catch (...) {
      ::_exit(1);
    }
  }

 private:
  // Makes the child end with its parent, and resets the signals that the parent ignores or handles.
  void end_with(pid_t parent) const {
    const bool leads_group =
        plan_.lifetime == ChildLifetime::own_group || plan_.lifetime == ChildLifetime::with_descendants;
    if (leads_group) {
      ::setpgid(0, 0);
      for (const int signal : {SIGHUP, SIGABRT, SIGTSTP, SIGTERM}) ::signal(signal, SIG_DFL);
    }
    for (const int signal : {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
    if (plan_.lifetime == ChildLifetime::own_session) ::setsid();
    if (plan_.lifetime == ChildLifetime::with_descendants) ::signal(SIGTERM, kill_own_group);
    ::prctl(PR_SET_PDEATHSIG, plan_.lifetime == ChildLifetime::with_descendants ? SIGTERM : SIGKILL);
    if (::getppid() != parent) ::_exit(Child::cannot_execute);  // the parent is already gone
  }

  // Forks once more: this process stays as the group's leader and keeps its signal handler, which exec would
  // reset; the child becomes the program.
  [[noreturn]] void lead_group() const {
    const pid_t program = ::vfork();
    if (program == 0) {
      ::signal(SIGTERM, SIG_DFL);
      become_the_program();
    }
    if (program < 0) ::_exit(Child::cannot_fork);
    ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);  // only the program may hold the pipes
    ::_exit(ExitStatus(wait_for_status(program)).code());
  }

  // Gives each file its descriptor in the child, after moving aside those whose descriptors others need.
  void set_descriptors() const {
    std::array<int, 3> sources = plan_.files;
    for (int number = 0; number < 3; ++number)
      if (int& source = sources.at(static_cast<std::size_t>(number)); source < 3 && source != number)
        source = ::fcntl(source, F_DUPFD, 3);
    const bool is_in_the_way = plan_.inherited >= 0 && plan_.inherited <= STDERR_FILENO;
    const int file =
        is_in_the_way ? ::fcntl(plan_.inherited, F_DUPFD, plan_.inherited_as + 1) : plan_.inherited;
    for (int number = 0; number < 3; ++number)
      duplicate(sources.at(static_cast<std::size_t>(number)), number);
    if (file >= 0) duplicate(file, plan_.inherited_as);
  }

  static void duplicate(int source, int number) {
    if (source == number)
      ::fcntl(number, F_SETFD, 0);
    else
      ::dup2(source, number);
  }

  // Closes at once, or on exec with CLOSE_RANGE_CLOEXEC.
  void close_other_files(unsigned flags) const {
    const auto close_between = [&](int first, unsigned last) {
      if (static_cast<unsigned>(first) <= last) ::syscall(SYS_close_range, first, last, flags);
    };
    if (plan_.has_all_files) return;
    if (plan_.inherited >= 0) close_between(STDERR_FILENO + 1, static_cast<unsigned>(plan_.inherited_as - 1));
    close_between(std::max(STDERR_FILENO, plan_.inherited_as) + 1, ~0u);
  }

  // Never raises this process's own limits.
  void limit_resources() const {
    for (const ResourceLimit& wanted : plan_.limits) {
      const auto resource = static_cast<__rlimit_resource>(wanted.resource);
      rlimit limit{};
      ::getrlimit(resource, &limit);
      limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted.soft);
      limit.rlim_max = std::min<rlim_t>(limit.rlim_max, wanted.hard);
      ::setrlimit(resource, &limit);
    }
  }

  [[noreturn]] void become_the_program() const {
    set_descriptors();
    close_other_files(CLOSE_RANGE_CLOEXEC);
    if (!plan_.folder.empty() && ::chdir(plan_.folder.c_str()) != 0) ::_exit(Child::cannot_execute);
    limit_resources();
    if (plan_.prepare && !plan_.prepare()) ::_exit(Child::is_not_prepared);
    ::execvpe(file_.c_str(), arguments_.data(), plan_.environment.empty() ? environ : environment_.data());
    ::_exit(Child::cannot_execute);
  }

  const ChildPlan& plan_;
  const std::string file_;
  const std::vector<char*> arguments_, environment_;
};

}  // namespace

int ExitStatus::signal() const {
  return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
}

int ExitStatus::code() const {
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

Child::Child(const ChildPlan& plan) : process_(-1), lifetime_(plan.lifetime) {
  const ChildStart start(plan);
  const pid_t parent = ::getpid();
  // A program needs no copy of this process's memory, which takes long if it is large.
  const bool needs_copy = plan.work || plan.lifetime == ChildLifetime::with_descendants;
  process_ = needs_copy ? ::fork() : ::vfork();
  if (process_ == 0) start.run(parent);
  if (process_ < 0) throw_cannot_start(plan.error_prefix, "fork");
  if (lifetime_ == ChildLifetime::own_group || lifetime_ == ChildLifetime::with_descendants)
    ::setpgid(process_, process_);  // the child does the same; either may be first
}

Child::~Child() {
  if (is_running()) kill();
}

bool Child::ends_within(double seconds, const StopToken& stop) const {
  const Descriptor end(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  TimeLimit limit(seconds);
  return end.is_open() && wait_to_read(end.number(), limit, stop);
}

void Child::kill_group() const {
  if (lifetime_ != ChildLifetime::independent && lifetime_ != ChildLifetime::tied) ::kill(-process_, SIGKILL);
}

// Kills the group before collecting the status: until then no other process or group gets this number.
ExitStatus Child::wait() {
  siginfo_t ignored;
  while (::waitid(P_PID, static_cast<id_t>(process_), &ignored, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  kill_group();
  return ExitStatus(wait_for_status(std::exchange(process_, -1)));
}

// Killing a process that has ended does not change its status.
ExitStatus Child::kill() {
  ::kill(process_, SIGKILL);
  return wait();
}

void throw_cannot_start(const std::string& error_prefix, const char* call) {
  throw Error(ExitCode::device, fmt::format("{}: {} failed: {}", error_prefix, call, std::strerror(errno)));
}

Pipe make_pipe_for(const std::string& error_prefix) {
  Pipe pipe = make_pipe();
  if (!pipe.reader.is_open()) throw_cannot_start(error_prefix, "pipe");
  return pipe;
}

std::array<Descriptor, 2> make_sockets_for(const std::string& error_prefix) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw_cannot_start(error_prefix, "socketpair");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor open_dev_null(const std::string& error_prefix) {
  Descriptor dev_null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!dev_null.is_open()) throw_cannot_start(error_prefix, "open");
  return dev_null;
}

namespace {

// Keeps Ctrl-C and an early end of the pager from ending this process. Sets handlers that do nothing, since
// the command would inherit SIG_IGN, but does not inherit handlers.
class IgnoredSignals {
 public:
  IgnoredSignals() {
    for (std::size_t i = 0; i < signals.size(); ++i) previous_[i] = ::signal(signals[i], [](int) {});
  }
  ~IgnoredSignals() {
    for (std::size_t i = 0; i < signals.size(); ++i) ::signal(signals[i], previous_[i]);
  }
  IgnoredSignals(const IgnoredSignals&) = delete;
  IgnoredSignals& operator=(const IgnoredSignals&) = delete;

 private:
  static constexpr std::array<int, 3> signals{SIGINT, SIGQUIT, SIGPIPE};
  std::array<void (*)(int), 3> previous_{};
};

}  // namespace

int run_in_shell(const std::string& command, const std::string* input) {
  const IgnoredSignals signals;
  const std::string error_prefix = "cannot run " + command;
  Pipe text = input ? make_pipe_for(error_prefix) : Pipe{};
  Child shell({.error_prefix = error_prefix,
               .program = {"/bin/sh", "-c", command},
               .files = {input ? text.reader.number() : STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO},
               .has_all_files = true,
               .lifetime = ChildLifetime::independent});
  text.reader.close();
  if (input) write_all(text.writer.number(), *input);  // fails if the pager quits early
  text.writer.close();
  return shell.wait().code();
}

namespace {

constexpr const char* work_error_prefix = "cannot check in a process of its own";

// First letter of an answer. After `thrown_mark` comes the exit code, as one digit, and then the message.
constexpr char returned_mark = '+', thrown_mark = '-';
constexpr int answer_descriptor = STDERR_FILENO + 1;

// Sends an Error's message, such as that of a missing compiler, in the answer.
std::string answer_of(const std::function<std::string()>& work) {
  try {
    return returned_mark + work();
  } catch (const Error& error) {
    return thrown_mark + std::to_string(static_cast<int>(error.code())) + error.what();
  }
}

// Drops stdout and stderr: a kernel's printf must not fill the terminal. The answer has its own pipe.
Child start_work(const std::function<std::string()>& work, const Pipe& answer) {
  const Descriptor dev_null = open_dev_null(work_error_prefix);
  ::omp_pause_resource_all(omp_pause_hard);  // ends OpenMP's threads: a child would wait for them
  return Child({.error_prefix = work_error_prefix,
                .work = [&] { write_all(answer_descriptor, answer_of(work)); },
                .files = {STDIN_FILENO, dev_null.number(), dev_null.number()},
                .inherited = answer.writer.number(),
                .inherited_as = answer_descriptor,
                .lifetime = ChildLifetime::with_descendants});
}

}  // namespace

ChildWork::ChildWork(const std::function<std::string()>& work)
    : answer_(make_pipe_for(work_error_prefix)), child_(start_work(work, answer_)) {
  answer_.writer.close();
}

ChildEnd ChildWork::wait(double time_limit_s, const StopToken& stop) {
  constexpr std::size_t max_bytes = std::size_t{1} << 26;
  ChildEnd end;
  TimeLimit limit(time_limit_s);
  if (read_until_end(descriptor(), limit, stop, max_bytes, end.output) != ReadEnd::whole) {
    child_.kill();
    end.kind = ChildEnd::Kind::time_limit;
    return end;
  }
  const ExitStatus status = child_.wait();
  if (!status.is_success()) {
    end.kind = ChildEnd::Kind::killed;
    end.signal = status.signal();
    return end;
  }
  if (end.output.size() > 1 && end.output[0] == thrown_mark)
    throw Error(static_cast<ExitCode>(std::clamp(end.output[1] - '0', 1, 5)), end.output.substr(2));
  if (!end.output.empty()) end.output.erase(0, 1);
  return end;
}

}  // namespace gpulab
