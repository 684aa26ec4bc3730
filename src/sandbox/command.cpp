#include "sandbox/command.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "core/error.hpp"

extern char** environ;

namespace gpulab::sandbox {
namespace {

// For exec, which does not change them.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::filesystem::path& temporary_files) {
  const std::string name = "TMPDIR=";
  std::vector<std::string> variables{name + temporary_files.string()};
  for (char** variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with(name)) variables.emplace_back(*variable);
  return variables;
}

// Beyond the first limit comes a signal that says which it was, beyond the second one that kills.
void limit_to(__rlimit_resource resource, std::size_t most) {
  rlimit limit{};
  ::getrlimit(resource, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, most);
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, most + 2);
  ::setrlimit(resource, &limit);
}

void end_the_group(int) {
  ::kill(0, SIGKILL);
}

// Of a child that could not have one itself.
constexpr int cannot_start = 125;

[[noreturn]] void refuse_to_start(const std::string& program) {
  throw Error(ExitCode::device,
              "cannot start " + program + ": this machine refuses another process or file (see ulimit -a)");
}

// All that happens between fork and exec. The child leads a group, starts the command in it and waits, so
// that all that the command has started ends with it, and when this process ends.
struct Start {
  const std::vector<char*>& arguments;
  const std::vector<char*>& variables;
  const char* folder;
  int output;
  const CommandLimits& limits;
  const Confinement* confinement;

  [[noreturn]] void run(pid_t parent) const {
    ::setpgid(0, 0);
    for (const int signal : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
    ::signal(SIGTERM, end_the_group);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127);  // it has ended already
    const pid_t command = ::fork();
    if (command == 0) become_the_command();
    ::close(output);
    int status = cannot_start << 8;
    while (command > 0 && ::waitpid(command, &status, 0) < 0 && errno == EINTR) {
    }
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }

 private:
  [[noreturn]] void become_the_command() const {
    ::signal(SIGTERM, SIG_DFL);
    const int nowhere = ::open("/dev/null", O_RDONLY);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC);
    if (::chdir(folder) != 0) ::_exit(127);
    limit_to(RLIMIT_CPU, static_cast<std::size_t>(limits.cpu_s));
    limit_to(RLIMIT_AS, limits.memory_bytes);
    limit_to(RLIMIT_FSIZE, limits.file_bytes);
    limit_to(RLIMIT_CORE, 0);
    if (confinement && !(confinement->close_files() && confinement->close_system_calls())) ::_exit(126);
    environ = const_cast<char**>(variables.data());
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
};

// Which limit cut the reading short; none when the output has ended.
CommandResult::Limit read_output(int pipe, const CommandLimits& limits, const StopRequest& stop,
                                 std::string& output) {
  constexpr double wall_for_each_cpu_second = 3;
  TimeLimit limit(wall_for_each_cpu_second * limits.cpu_s);
  char piece[4096];
  while (wait_to_read(pipe, limit, stop)) {
    const ssize_t got = ::read(pipe, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return CommandResult::Limit::none;
    if (output.size() + static_cast<std::size_t>(got) > limits.output_bytes)
      return CommandResult::Limit::output;
    output.append(piece, static_cast<std::size_t>(got));
  }
  return CommandResult::Limit::time;
}

// A compiler says in its own words that one of its parts met a limit.
CommandResult::Limit limit_met(const CommandResult& result) {
  const auto says = [&](std::string_view words) { return result.output.find(words) != std::string::npos; };
  if (result.exit_status == 128 + SIGXCPU || says("CPU time limit exceeded"))
    return CommandResult::Limit::time;
  if (result.exit_status == 128 + SIGXFSZ || says("File size limit exceeded") || says("File too large"))
    return CommandResult::Limit::file;
  if (says("out of memory") || says("memory exhausted") || says("Cannot allocate memory") ||
      says("bad_alloc"))
    return CommandResult::Limit::memory;
  return CommandResult::Limit::none;
}

// Whether this process may use less memory than that: then what has run out is the user's limit, not the
// command's.
bool has_less_memory_than(std::size_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_max < bytes;
}

class Group {
 public:
  explicit Group(pid_t leader) : leader_(leader) { ::setpgid(leader, leader); }  // as the child does
  ~Group() {
    if (leader_ > 0) end();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Whatever still runs is killed. Returns the leader's status.
  int end(bool is_killed = true) {
    if (is_killed) ::kill(-leader_, SIGKILL);
    int status = 0;
    while (::waitpid(leader_, &status, 0) < 0 && errno == EINTR) {
    }
    if (!is_killed) ::kill(-leader_, SIGKILL);
    leader_ = -1;
    return status;
  }

 private:
  pid_t leader_;
};

}  // namespace

CommandResult run_command(const std::vector<std::string>& command, const std::filesystem::path& folder,
                          const CommandLimits& limits, const Confinement* confinement,
                          const StopRequest& stop) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) refuse_to_start(command.front());
  const std::vector<std::string> environment = environment_with(folder);
  const std::vector<char*> arguments = pointers_to(command), variables = pointers_to(environment);
  const Start start{arguments, variables, folder.c_str(), pipe_ends[1], limits, confinement};
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) start.run(parent);
  ::close(pipe_ends[1]);
  const struct Closer {
    int file;
    ~Closer() { ::close(file); }
  } closer{pipe_ends[0]};
  if (child < 0) refuse_to_start(command.front());

  Group group(child);
  CommandResult result;
  result.limit = read_output(pipe_ends[0], limits, stop, result.output);
  const int status = group.end(result.limit != CommandResult::Limit::none);
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.exit_status == cannot_start && result.output.empty()) refuse_to_start(command.front());
  if (result.limit == CommandResult::Limit::none) result.limit = limit_met(result);
  if (result.limit == CommandResult::Limit::memory && has_less_memory_than(limits.memory_bytes))
    result.limit = CommandResult::Limit::none;
  return result;
}

}  // namespace gpulab::sandbox
