#include "sandbox/sandbox.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gpulab::sandbox {

// Landlock's interface, as in https://docs.kernel.org/userspace-api/landlock.html. The system's header may be
// older than its kernel, so additions of newer versions are defined here.

namespace {

namespace fs = std::filesystem;

struct RulesetAttributes {
  std::uint64_t file_rights = 0;
  std::uint64_t network_rights = 0;  // since version 4
  std::uint64_t scopes = 0;          // since version 6
};

struct [[gnu::packed]] PathRule {
  std::uint64_t file_rights;
  std::int32_t file_or_folder;  // opened
};

// LANDLOCK_CREATE_RULESET_VERSION and LANDLOCK_RULE_PATH_BENEATH.
constexpr long version_flag = 1, path_rule_type = 1;

constexpr std::uint64_t execute = 1u << 0, read_file = 1u << 2, read_folder = 1u << 3;
constexpr std::uint64_t write_file = 1u << 1, truncate = 1u << 14, use_device = 1u << 15;
constexpr std::uint64_t version_1_rights = (1u << 13) - 1, move_between_folders = 1u << 13;
// Rights to create devices, sockets, named pipes and links, which no confined process needs.
constexpr std::uint64_t make_special_file = 1u << 6 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12;
constexpr std::uint64_t bind_and_connect = 3, abstract_sockets_and_signals = 3;

// A rule about a file must not name the rights of folders.
constexpr std::uint64_t file_only_rights = execute | write_file | read_file | truncate | use_device;

RulesetAttributes all_rights_of_version(int version) {
  RulesetAttributes all{.file_rights = version_1_rights};
  if (version >= 2) all.file_rights |= move_between_folders;
  if (version >= 3) all.file_rights |= truncate;
  if (version >= 4) all.network_rights = bind_and_connect;
  if (version >= 5) all.file_rights |= use_device;
  if (version >= 6) all.scopes = abstract_sockets_and_signals;
  return all;
}

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, version_flag);
  return version > 0 ? static_cast<int>(version) : 0;
}

void allow(int ruleset, const fs::path& path, std::uint64_t rights) {
  const int opened = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (opened < 0) return;
  struct stat facts {};
  if (::fstat(opened, &facts) == 0 && !S_ISDIR(facts.st_mode)) rights &= file_only_rights;
  const PathRule rule{rights, opened};
  ::syscall(SYS_landlock_add_rule, ruleset, path_rule_type, &rule, 0);
  ::close(opened);
}

int make_ruleset(const Files& files, int version) {
  const RulesetAttributes all = all_rights_of_version(version);
  const int ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0));
  if (ruleset < 0) return -1;
  ::fcntl(ruleset, F_SETFD, FD_CLOEXEC);
  for (const fs::path& path : files.read) allow(ruleset, path, execute | read_file | read_folder);
  for (const fs::path& path : files.write)
    allow(ruleset, path, all.file_rights & ~(execute | make_special_file));
  return ruleset;
}

}  // namespace

const char* name_of(Mode mode) {
  return mode == Mode::require ? "require" : mode == Mode::off ? "off" : "auto";
}

Mode mode_of(std::string_view word) {
  return word == "require" ? Mode::require : word == "off" ? Mode::off : Mode::automatic;
}

std::string described(const Support& here) {
  std::string text = "files are not confined: this kernel has no Landlock (Linux 5.13 and later have it)";
  if (here.landlock_version > 0)
    text = "files and network: Landlock " + std::to_string(here.landlock_version);
  if (!here.filters_system_calls)
    return text +
           "; system calls are not confined: gpulab was built without libseccomp, or this kernel has no filter";
  text += "; system calls: seccomp";
  if (here.landlock_version > 0 && here.landlock_version < 3)
    return text +
           ", which also refuses truncate() and signals to others (Landlock does so from versions 3 and 6 on)";
  if (here.landlock_version > 0 && here.landlock_version < 6)
    return text + ", which also refuses signals to others (Landlock does so from version 6 on)";
  return text;
}

Support support() {
  return {.landlock_version = landlock_version(), .filters_system_calls = can_filter_system_calls()};
}

fs::path own_program() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed)
    throw Error(ExitCode::device,
                "there is no /proc here, which gpulab needs to start processes of its own; mount it");
  return program;
}

void check_support(Mode mode) {
  own_program();
  const Support here = support();
  if (mode != Mode::require || here.is_complete()) return;
  throw Error(
      ExitCode::device,
      std::string("--sandbox require: ") +
          (here.landlock_version == 0
               ? "this kernel has no Landlock (Linux 5.13 and later have it)"
               : "gpulab was built without libseccomp, or this kernel has no filter of system calls") +
          ", so a stranger's kernels cannot be confined here; gpulab doctor says what can be");
}

Confinement::Confinement(Mode mode, const Files& files, SystemCalls calls) {
  if (mode == Mode::off) return;
  check_support(mode);
  const Support here = support();
  if (here.landlock_version > 0) ruleset_ = make_ruleset(files, here.landlock_version);
  if (here.filters_system_calls) filter_ = std::make_unique<Filter>(filter_for(calls, here.landlock_version));
  if (mode == Mode::require && (ruleset_ < 0 || filter_->instructions.empty()))
    throw Error(ExitCode::device, "--sandbox require: the confinement could not be prepared");
}

Confinement::~Confinement() {
  if (ruleset_ >= 0) ::close(ruleset_);
}

bool Confinement::confine_files() const noexcept {
  if (ruleset_ < 0) return true;
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, ruleset_, 0) == 0;
}

bool Confinement::confine_system_calls() const noexcept {
  return !filter_ || install(filter_->instructions);
}

namespace {

constexpr const char* system_files[] = {
    // Folders, if they exist.
    "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt", "/nix", "/gnu/store",
    // Files of the loader, and devices.
    "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/alternatives", "/dev/null", "/dev/urandom"};

void add_folders_of(const char* variable, std::vector<fs::path>& folders) {
  const char* value = std::getenv(variable);
  std::istringstream words(value ? value : "");
  for (std::string word; std::getline(words, word, ':');) {
    const fs::path folder(word);
    // A program's libraries lie beside its folder: /opt/gcc/bin/g++ reads /opt/gcc/lib/gcc.
    if (!folder.is_absolute() || folder == "/") continue;
    folders.push_back(folder);
    for (const char* beside : {"lib", "lib64", "libexec", "include"})
      folders.push_back(folder.parent_path() / beside);
  }
}

}  // namespace

std::vector<fs::path> files_of_the_system() {
  std::vector<fs::path> files(std::begin(system_files), std::end(system_files));
  add_folders_of("LD_LIBRARY_PATH", files);
  return files;
}

std::vector<fs::path> files_of_a_compiler(const fs::path& program) {
  std::vector<fs::path> files = files_of_the_system();
  add_folders_of("PATH", files);
  std::error_code failed;
  const fs::path real = fs::canonical(program, failed);
  if (failed) return files;
  files.push_back(real);
  const fs::path folder = real.parent_path();
  if (folder.filename() == "bin")
    for (const char* beside : {"bin", "lib", "lib64", "libexec", "include", "share"})
      files.push_back(folder.parent_path() / beside);
  return files;
}

namespace {

std::vector<std::string> environment_with(const std::filesystem::path& temporary_files) {
  const std::string name = "TMPDIR=";
  std::vector<std::string> variables{name + temporary_files.string()};
  for (char** variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with(name)) variables.emplace_back(*variable);
  return variables;
}

constexpr std::size_t margin_to_hard_limit = 2;  // so that the signal of the soft limit comes first

ChildPlan plan_of(const std::vector<std::string>& command, const std::filesystem::path& folder,
                  const CommandLimits& limits, const Confinement* confinement) {
  using enum ChildLifetime;
  ChildPlan plan{.error_prefix = "cannot start " + command.front(),
                 .program = command,
                 .lifetime = limits.starts_others ? with_descendants : own_group,
                 .folder = folder.string(),
                 .environment = environment_with(folder)};
  for (const auto& [resource, limit] : {std::pair{RLIMIT_CPU, static_cast<std::size_t>(limits.cpu_s)},
                                        {RLIMIT_AS, limits.memory_bytes},
                                        {RLIMIT_FSIZE, limits.file_bytes},
                                        {RLIMIT_CORE, 0}})
    plan.limits.push_back({.resource = resource, .soft = limit, .hard = limit + margin_to_hard_limit});
  plan.prepare = [confinement] {
    return !confinement || (confinement->confine_files() && confinement->confine_system_calls());
  };
  return plan;
}

[[noreturn]] void refuse_to_start(const std::string& program) {
  throw Error(ExitCode::device,
              "cannot start " + program + ": this machine refuses another process or file (see ulimit -a)");
}

Child start(ChildPlan plan, Pipe& output) try {
  const Descriptor dev_null = open_dev_null(plan.error_prefix);
  output = make_pipe_for(plan.error_prefix);
  plan.files = {dev_null.number(), output.writer.number(), output.writer.number()};
  Child child(plan);
  output.writer.close();
  return child;
} catch (const Error&) {
  refuse_to_start(plan.program.front());
}

// Reads the output. Returns the limit that cut it short; none if the output has ended.
CommandResult::Limit read_output(int pipe, const CommandLimits& limits, const StopToken& stop,
                                 std::string& output) {
  constexpr double wall_limit_factor = 3;  // other processes may share the cores
  TimeLimit limit(wall_limit_factor * limits.cpu_s);
  const ReadEnd end = read_until_end(pipe, limit, stop, limits.output_bytes, output);
  return end == ReadEnd::whole         ? CommandResult::Limit::none
         : end == ReadEnd::out_of_time ? CommandResult::Limit::time
                                       : CommandResult::Limit::output;
}

// Returns the limit that was met. If a process that the command started met it, only the output shows that.
CommandResult::Limit limit_met(const CommandResult& result) {
  const auto prints = [&](std::string_view text) { return result.output.find(text) != std::string::npos; };
  if (result.exit_status == 128 + SIGXCPU || prints("CPU time limit exceeded"))
    return CommandResult::Limit::time;
  if (result.exit_status == 128 + SIGXFSZ || prints("File size limit exceeded") || prints("File too large"))
    return CommandResult::Limit::file;
  if (prints("out of memory") || prints("memory exhausted") || prints("Cannot allocate memory") ||
      prints("bad_alloc"))
    return CommandResult::Limit::memory;
  return CommandResult::Limit::none;
}

// Returns whether this process may use less memory than the limit of a command: then the command has met the
// limit that the user has set for this process.
bool has_less_memory_than(std::size_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_max < bytes;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& command, const std::filesystem::path& folder,
                          const CommandLimits& limits, const Confinement* confinement,
                          const StopToken& stop) {
  Pipe output;
  Child child = start(plan_of(command, folder, limits, confinement), output);
  CommandResult result;
  result.limit = read_output(output.reader.number(), limits, stop, result.output);
  const bool has_ended = result.limit == CommandResult::Limit::none;
  result.exit_status = (has_ended ? child.wait() : child.kill()).code();
  if (result.exit_status == Child::cannot_fork && result.output.empty()) refuse_to_start(command.front());
  if (result.limit == CommandResult::Limit::none) result.limit = limit_met(result);
  if (result.limit == CommandResult::Limit::memory && has_less_memory_than(limits.memory_bytes))
    result.limit = CommandResult::Limit::none;
  return result;
}

}  // namespace gpulab::sandbox
