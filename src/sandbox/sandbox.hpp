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

// What keeps a process that works on a stranger's code from doing anything else. Linux lets every user
// confine their own processes: Landlock takes the file system and the network away, a filter of system calls
// (seccomp) the rest. Neither needs root or a user namespace, and neither can be undone.

enum class Mode {
  require,    // an error where this machine cannot confine
  automatic,  // whatever this machine can do
  off
};

// "require", "auto", "off", as users write it.
const char* name_of(Mode mode);
Mode mode_of(std::string_view word);

// What this machine offers.
struct Support {
  int landlock_version = 0;  // of its interface; 0 where the kernel has none, or has it switched off
  bool filters_system_calls = false;

  bool is_whole() const { return landlock_version > 0 && filters_system_calls; }
};

Support support();

// "files and network: Landlock 7; system calls: seccomp", and what the one refuses in place of the other.
std::string described(const Support& support);

// "ptrace"; empty where nobody knows it.
std::string name_of_system_call(int number);

// The file of this program, which starts itself anew to confine itself. Throws Error, with the code of a
// device, where there is no /proc.
std::filesystem::path own_program();

// Throws Error, with the code of a device, for Mode::require where this machine cannot confine, and as above.
void check_support(Mode mode);

// All of the file system that a confined process may use, as files and folders with what is in them. What
// does not exist is left out.
struct Files {
  std::vector<std::filesystem::path> read;   // and run
  std::vector<std::filesystem::path> write;  // and read, make and remove
};

enum class SystemCalls {
  of_a_compiler,  // all but those that reach other processes, the network or the system's settings
  of_a_program,   // those of the C and C++ libraries, but no processes, and nothing about a file but its
                  // content
  of_kernels      // memory, threads, the files that are open, waiting, ending
};

// Made before a process is confined, so that applying it needs no memory and no files.
class Confinement {
 public:
  // Throws as check_support() does.
  Confinement(Mode mode, const Files& files, SystemCalls calls);
  ~Confinement();
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

  // From now on the calling thread, and the threads and processes that it starts, have those files only, and
  // no network. Safe between fork and exec, and so is the other. Returns whether it could be done.
  bool close_files() const noexcept;
  // From now on all threads of this process, and what they start, have those system calls only. One that
  // nothing harmless makes ends the process by SIGSYS; others fail.
  bool close_system_calls() const noexcept;

 private:
  struct Filter;

  int rules_ = -1;                  // of Landlock; -1 where files are not confined
  std::unique_ptr<Filter> filter_;  // none where system calls are not
};

// The loader's files, wherever this machine has them: what is in the system's folders and in those of
// LD_LIBRARY_PATH. Nothing of them is anybody's own.
std::vector<std::filesystem::path> files_of_the_system();
// The same with what is in the folders of PATH and beside the compiler.
std::vector<std::filesystem::path> files_of_a_compiler(const std::filesystem::path& program);

// What a command may use. The time is that of its CPUs, so that a busy machine judges alike; the clock on the
// wall may show three times as much.
struct CommandLimits {
  double cpu_s = 60;
  std::size_t memory_bytes = std::size_t{16} << 30;  // of each of its processes
  std::size_t file_bytes = std::size_t{1} << 30;     // of each file that it writes
  std::size_t output_bytes = std::size_t{1} << 20;
};

struct CommandResult {
  enum class Limit { none, time, memory, file, output };

  int exit_status = 0;        // as a shell has it: 128 + signal when a signal ended it
  std::string output;         // of stdout and stderr together, up to the limit
  Limit limit = Limit::none;  // that it came to
};

// Runs a program, found in PATH, in a folder of its own, where its temporary files go, too, so that they are
// cleared away with the folder even if it is killed. Waits for it, and for what it has started. exit_status
// is 127 when there is no such program. Throws WorkStopped, and Error where no process can be started.
CommandResult run_command(const std::vector<std::string>& command, const std::filesystem::path& folder,
                          const CommandLimits& limits = {}, const Confinement* confinement = nullptr,
                          const StopRequest& stop = {});

// A program of the kernel's, which says of each system call whether it may go on.
struct Confinement::Filter {
  std::vector<sock_filter> instructions;
};

bool can_filter_system_calls();

// For this process, beside Landlock of that version: what an older one cannot refuse, the filter does. Empty
// where it could not be made.
std::vector<sock_filter> filter_for(SystemCalls calls, int landlock_version);

// For all threads of this process.
bool install(const std::vector<sock_filter>& instructions) noexcept;

// sendmsg(), by an instruction of its own.
ssize_t send_message(int socket, const msghdr& message, int flags);

// From now on that instruction alone sends by the socket: whatever else in this process writes to it, or
// makes another descriptor of it, ends the process. The kernel compares where the call comes from, so it does
// not matter what a stranger's code knows or can write to. To be called before the other system calls are
// closed. False where this machine cannot.
bool let_only_send_message_send(int socket) noexcept;

}  // namespace gpulab::sandbox
