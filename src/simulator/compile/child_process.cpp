#include "simulator/compile/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <string_view>

extern char** environ;

namespace gpulab::simulator::compile {
namespace {

// For posix_spawn, which does not change them.
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

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, const std::filesystem::path& folder) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return {127, "cannot make a pipe"};

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());

  const std::vector<std::string> environment = environment_with(folder);
  const std::vector<char*> arguments = pointers_to(command), variables = pointers_to(environment);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);

  ChildResult result{127, ""};
  char buffer[4096];
  while (!failed) {
    const ssize_t got = ::read(pipe_ends[0], buffer, sizeof buffer);
    if (got > 0)
      result.output.append(buffer, static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      break;
  }
  ::close(pipe_ends[0]);
  if (failed) return result;

  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace gpulab::simulator::compile
