#pragma once

#include <sys/types.h>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace gpulab {

// How a child's lifetime and signals depend on this process.
enum class ChildLifetime {
  independent,      // same group and signals, but may outlive this process
  tied,             // ends with this process; same group, so the keyboard's signals reach both
  own_session,      // ends with this process; has no terminal
  own_group,        // ends with this process; the keyboard's signals do not reach it
  with_descendants  // as own_group, and its descendants end too, however this process ends
};

// A resource limit for each process of a child, never above this process's own. Exceeding the soft limit
// sends a signal that identifies it; exceeding the hard limit kills.
struct ResourceLimit {
  int resource;  // RLIMIT_...
  std::size_t soft, hard;
};

// A program for a child to run, and everything it gets.
struct ChildPlan {
  std::string error_prefix;               // "cannot check in a process of its own"
  std::vector<std::string> program;       // a file, or a name looked up in PATH, then the arguments
  std::string file = {};                  // the program's file, if not the first word
  std::function<void()> work = {};        // instead of a program: runs in a copy of this process
  std::array<int, 3> files{0, 1, 2};      // descriptors for its stdin, stdout and stderr
  int inherited = -1, inherited_as = -1;  // one more descriptor, and its number in the child
  bool has_all_files = false;             // inherits all open descriptors
  ChildLifetime lifetime = ChildLifetime::own_group;
  std::vector<ResourceLimit> limits = {};
  std::string folder = {};                    // working folder; empty for this process's
  std::vector<std::string> environment = {};  // "NAME=value", instead of this process's
  // Called last; may do only what is safe in a signal handler. If it returns false, the program does not run.
  std::function<bool()> prepare = {};
};

// This program's file, to start it again without any of this process's memory.
constexpr const char* own_file = "/proc/self/exe";

// How a process ended.
class ExitStatus {
 public:
  explicit ExitStatus(int status) : status_(status) {}  // from waitpid()

  int signal() const;  // signal that ended it; 0 for none
  int code() const;    // as in a shell: 128 + signal if a signal ended it
  bool is_success() const { return status_ == 0; }

 private:
  int status_;
};

// A child process. If it leads a group, the group ends with this object.
class Child {
 public:
  // Exit codes of a child that failed before its program ran.
  static constexpr int cannot_fork = 125, is_not_prepared = 126, cannot_execute = 127;

  // Throws Error with ExitCode::device.
  explicit Child(const ChildPlan& plan);
  ~Child();
  Child(Child&& other) noexcept : process_(std::exchange(other.process_, -1)), lifetime_(other.lifetime_) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t id() const { return process_; }
  bool is_running() const { return process_ > 0; }  // as far as this process knows

  // Returns whether it ends by itself within this time. Throws WorkStopped.
  bool ends_within(double seconds, const StopToken& stop) const;

  // Both wait for the end and kill the rest of the group. Call only one of them, once.
  ExitStatus wait();
  ExitStatus kill();

 private:
  void kill_group() const;

  pid_t process_;
  ChildLifetime lifetime_;
};

// Throws Error with ExitCode::device: "PREFIX: CALL failed: " and the text for errno.
[[noreturn]] void throw_cannot_start(const std::string& error_prefix, const char* call);

// Makes a pipe. Throws like throw_cannot_start().
Pipe make_pipe_for(const std::string& error_prefix);

// Makes a connected pair of sockets, one for this process, one for a child. Throws like throw_cannot_start().
std::array<Descriptor, 2> make_sockets_for(const std::string& error_prefix);

// Opens /dev/null for reading and writing. Throws like throw_cannot_start().
Descriptor open_dev_null(const std::string& error_prefix);

// Runs a shell command, such as a pager or an editor, which owns the terminal until it ends and gets Ctrl-C.
// Feeds it `input` on stdin if given. Returns its exit code, 127 if there is no such command. Throws Error.
int run_in_shell(const std::string& command, const std::string* input = nullptr);

// How work in a child process ended.
struct ChildEnd {
  enum class Kind { finished, time_limit, killed };
  Kind kind = Kind::finished;
  std::string output;  // the work's return value
  int signal = 0;      // signal that killed it
};

// Work in a child process. Its stdout and stderr are dropped. The child and its descendants end with this
// object, and when this process ends.
class ChildWork {
 public:
  // Starts the work. Call it before this process starts threads, which a child would lack.
  explicit ChildWork(const std::function<std::string()>& work);

  // Returns a descriptor for poll(): readable when the work is done or the child is gone.
  int descriptor() const { return answer_.reader.number(); }

  // Waits at most this long from now. Rethrows an Error of the work. Throws WorkStopped. Call it once.
  ChildEnd wait(double time_limit_s, const StopToken& stop = {});

 private:
  Pipe answer_;
  Child child_;
};

}  // namespace gpulab
