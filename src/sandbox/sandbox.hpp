#pragma once

#include <linux/filter.h>
#include <sys/socket.h>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"

namespace gpulab::sandbox {

// Confinement of a process that works on a stranger's code. Linux lets every user confine their own
// processes: Landlock restricts the file system and the network, a seccomp filter all other system calls.
// Neither needs root or a user namespace, and neither can be undone.

enum class Mode {
  require,    // an error where this machine cannot confine
  automatic,  // as far as this machine can confine
  off
};

// Return the word of a mode, as users write it ("require", "auto", "off"), and the mode of a word.
const char* name_of(Mode mode);
Mode mode_of(std::string_view word);

// Confinement that this machine offers.
struct Support {
  int landlock_version = 0;  // 0 if the kernel has no Landlock or has disabled it
  bool filters_system_calls = false;

  bool is_complete() const { return landlock_version > 0 && filters_system_calls; }
};

Support support();

// Returns "files and network: Landlock 7; system calls: seccomp", and what seccomp refuses in place of an
// older Landlock.
std::string described(const Support& support);

// Returns a name such as "ptrace"; empty if it is unknown.
std::string name_of_system_call(int number);

// Returns the file of this program, which starts itself again to confine itself. Throws Error with
// ExitCode::device if there is no /proc.
std::filesystem::path own_program();

// Throws Error with ExitCode::device without /proc, or for Mode::require if this machine cannot confine.
void check_support(Mode mode);

// Files, and folders with their contents, that a confined process may use. Missing ones are left out.
struct Files {
  std::vector<std::filesystem::path> read;   // and execute
  std::vector<std::filesystem::path> write;  // and read, create and remove
};

enum class SystemCalls {
  compiler,  // all but those that reach other processes, the network or the system's settings
  program,   // those of the C and C++ libraries, without processes and changes of metadata
  kernels    // memory, threads, the files that are open, waiting, ending
};

// A confinement that is made in advance, so that applying it needs no memory and no files.
class Confinement {
 public:
  // Throws as check_support() does.
  Confinement(Mode mode, const Files& files, SystemCalls calls);
  ~Confinement();
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

  // Restricts the calling thread, and the threads and processes that it starts, to those files and no
  // network. This and confine_system_calls() are safe between fork and exec. Returns whether it succeeded.
  bool confine_files() const noexcept;
  // Restricts all threads of this process, and what they start, to those system calls. If the process makes a
  // call that no harmless program makes, SIGSYS ends it. Any other forbidden call fails.
  bool confine_system_calls() const noexcept;

 private:
  struct Filter;

  int ruleset_ = -1;                // Landlock's descriptor; -1 if files are not confined
  std::unique_ptr<Filter> filter_;  // null if system calls are not
};

// Returns the folders and files that the loader needs: the system's, and the folders of LD_LIBRARY_PATH. They
// hold no user's private files.
std::vector<std::filesystem::path> files_of_the_system();
// Returns the same with the folders of PATH and those beside the compiler.
std::vector<std::filesystem::path> files_of_a_compiler(const std::filesystem::path& program);

// Resource limits of a command. The time is CPU time, so that a busy machine gives the same verdict; the
// wall-clock time is limited to three times as much.
struct CommandLimits {
  double cpu_s = 60;
  std::size_t memory_bytes = std::size_t{16} << 30;  // for each process of the command
  std::size_t file_bytes = std::size_t{1} << 30;     // for each file that the command writes
  std::size_t output_bytes = std::size_t{1} << 20;
  bool starts_others = true;  // it may start processes, which end with it; if so, its own start is slower
};

struct CommandResult {
  enum class Limit { none, time, memory, file, output };

  int exit_status = 0;        // as a shell reports it: 128 + signal if a signal ended it
  std::string output;         // stdout and stderr together, up to the limit
  Limit limit = Limit::none;  // the limit that ended it
};

// Runs a program, found in PATH, in the given folder. Its temporary files go there too, so that they are
// removed with the folder even if the program is killed. Waits for the program and for the processes that it
// has started. exit_status is 127 if there is no such program. Throws WorkStopped, and Error if no process
// can be started.
CommandResult run_command(const std::vector<std::string>& command, const std::filesystem::path& folder,
                          const CommandLimits& limits = {}, const Confinement* confinement = nullptr,
                          const StopToken& stop = {});

// A seccomp filter: a BPF program that says of each system call whether the kernel allows it.
struct Confinement::Filter {
  std::vector<sock_filter> instructions;
};

bool can_filter_system_calls();

// Returns a filter for this process, which also refuses what that version of Landlock cannot. Empty if it
// could not be made.
std::vector<sock_filter> filter_for(SystemCalls calls, int landlock_version);

// Installs the filter for all threads of this process.
bool install(const std::vector<sock_filter>& instructions) noexcept;

// Calls sendmsg() with a system call instruction that nothing else uses.
ssize_t send_message(int socket, const msghdr& message, int flags);

// Lets only that instruction send through the socket: any other call that writes to the socket, or duplicates
// its descriptor, ends the process. The kernel compares the address of the call, so a stranger's code cannot
// get around it. Must be called before confine_system_calls(). Returns false if this machine cannot do so.
bool restrict_sending_to_send_message(int socket) noexcept;

}  // namespace gpulab::sandbox
