#pragma once

#include <sys/types.h>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace gpulab {

// The ties of a child to this process.
enum class Ties {
  as_of_a_shell,  // none: it has this process's group and signals, and may outlive it
  shared,         // ends with this process; in its group, so that the keyboard's signals reach both
  no_terminal,    // ends with this process; in a session of its own
  own_group,      // ends with this process; the keyboard's signals do not reach it
  whole_group     // the same, and so does all that it has started, however this process ends
};

// The most of a resource that each process of a child may use; what this process may not use stays forbidden.
// Beyond the first limit comes a signal that says which it was, beyond the second one that kills.
struct ResourceLimit {
  int resource;  // RLIMIT_...
  std::size_t soft, hard;
};

// A program for a child to run, and all that it has.
struct ChildPlan {
  std::string purpose;               // what cannot be done without it: "cannot check in a process of its own"
  std::vector<std::string> program;  // a file, or a name to be found in PATH, and arguments
  std::string file = {};             // of the program, if the first word does not name it
  std::function<void()> work = {};   // in place of a program: runs in a copy of this process
  std::array<int, 3> files{0, 1, 2};  // descriptors in the place of its stdin, stdout and stderr
  int passed = -1, passed_as = -1;    // one more, and its number there
  bool has_all_files = false;         // has also whatever this process was started with
  Ties ties = Ties::own_group;
  std::vector<ResourceLimit> limits = {};
  std::string folder = {};                    // to work in; empty for this process's
  std::vector<std::string> environment = {};  // "NAME=value", in the place of this process's
  // Called last, where only what is safe in a signal handler may be done. The program does not run if this
  // returns false.
  std::function<bool()> prepare = {};
};

// The program of this process, to be started anew, so that nothing of this process's memory is in it.
constexpr const char* own_file = "/proc/self/exe";

// How a process ended.
class ExitStatus {
 public:
  explicit ExitStatus(int status) : status_(status) {}  // as waitpid() has it

  int signal() const;  // that ended it; 0 for none
  int code() const;    // as a shell has it: 128 + signal when a signal ended it
  bool is_success() const { return status_ == 0; }

 private:
  int status_;
};

// A process that this one has started. Its group ends with this object, if it has one of its own.
class Child {
 public:
  // Exit codes of a child that did not come to run its program.
  static constexpr int cannot_fork = 125, is_not_prepared = 126, cannot_execute = 127;

  // Throws Error, with the code of a device.
  explicit Child(const ChildPlan& plan);
  ~Child();
  Child(Child&& other) noexcept : process_(std::exchange(other.process_, -1)), ties_(other.ties_) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t id() const { return process_; }
  bool is_running() const { return process_ > 0; }  // as far as this process knows

  // Whether it ends by itself within so many seconds. Throws WorkStopped.
  bool ends_within(double seconds, const StopRequest& stop) const;

  // To be called once, both: what is left of its group is killed.
  ExitStatus wait();
  ExitStatus kill();

 private:
  void kill_group() const;

  pid_t process_;
  Ties ties_;
};

// Throws Error, with the code of a device: "PURPOSE: CALL failed: " and what errno says.
[[noreturn]] void cannot_start(const std::string& purpose, const char* call);

// As make_pipe(). Throws as above.
Pipe make_pipe_for(const std::string& purpose);

// Two ends of a connection, of which a child gets one. Throws as above.
std::array<Descriptor, 2> make_sockets_for(const std::string& purpose);

// Neither has anything to read, nor keeps what is written to it. Throws as above.
Descriptor nowhere_for(const std::string& purpose);

// Runs a command of the shell's, such as a pager or an editor, which has the terminal until it ends: Ctrl-C
// is its business. It reads the input from its stdin where one is given. Returns its exit code, 127 where
// there is no such command. Throws Error.
int run_in_shell(const std::string& command, const std::string* input = nullptr);

// How work in a process of its own came to its end.
struct ChildEnd {
  enum class Kind { finished, time_limit, killed };
  Kind kind = Kind::finished;
  std::string output;  // what the work returned
  int signal = 0;      // that killed it
};

// Work in a child of this process. What it writes to stdout and stderr is dropped. The child, and whatever it
// has started, ends with this object, and when this process ends.
class ChildWork {
 public:
  // Starts the work. Must be called before this process has started threads, which a child would not have.
  explicit ChildWork(const std::function<std::string()>& work);

  // For poll(): readable when the work is done, or the child is gone.
  int descriptor() const { return answer_.reader.number(); }

  // Waits until it is done, for at most so many seconds from now. An Error that the work throws is thrown
  // here. Throws WorkStopped. To be called once.
  ChildEnd wait(double time_limit_s, const StopRequest& stop = {});

 private:
  Pipe answer_;
  Child child_;
};

// Does the work in a child of this process, and waits until it is done.
ChildEnd run_in_child(const std::function<std::string()>& work, double time_limit_s);

}  // namespace gpulab
