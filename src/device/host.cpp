#include "device/host.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

extern char** environ;

namespace gpulab::device {
namespace {

// What the control group of this process (a container, a batch job) leaves it; SIZE_MAX without a limit.
std::size_t left_of_group_limit_bytes() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line) && !line.starts_with("0::")) {
  }
  if (line.size() <= 3) return SIZE_MAX;
  const std::string folder = "/sys/fs/cgroup" + line.substr(3);
  std::size_t limit = 0, used = 0, cached = 0;
  std::ifstream limit_file(folder + "/memory.max"), used_file(folder + "/memory.current");
  if (!(limit_file >> limit) || !(used_file >> used)) return SIZE_MAX;  // "max" is no number
  std::ifstream statistics(folder + "/memory.stat");
  for (std::string word; statistics >> word && cached == 0;)
    if (word == "inactive_file") statistics >> cached;  // of files: given up when memory is short
  used -= std::min(used, cached);
  return limit > used ? limit - used : 0;
}

}  // namespace

std::size_t free_host_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::size_t kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes)
      return std::min(kibibytes * 1024, left_of_group_limit_bytes());
  }
  return left_of_group_limit_bytes();
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return {};
}

namespace {

std::string loaders_words() {
  const char* words = ::dlerror();
  return words ? words : "the loader gives no reason";
}

}  // namespace

void DynamicLibrary::Closer::operator()(void* handle) const noexcept {
  ::dlclose(handle);
}

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names) {
  std::string reason;
  for (const std::string& name : names) {
    handle_.reset(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (handle_) break;
    if (reason.empty()) reason = loaders_words();
  }
  if (!handle_) throw std::runtime_error(reason);

  link_map* map = nullptr;
  if (::dlinfo(handle_.get(), RTLD_DI_LINKMAP, &map) == 0) path_ = map->l_name;
}

void* DynamicLibrary::address_of(const char* symbol) const {
  if (void* address = ::dlsym(handle_.get(), symbol)) return address;
  throw std::runtime_error(path_ + " has no function " + symbol);
}

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

}  // namespace gpulab::device
