#pragma once

#include <sys/types.h>
#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace gpulab {

// Somebody who may want the work of a child process stopped while it goes on.
struct StopRequest {
  int descriptor = -1;                                   // becomes readable when they may; -1 for nobody
  std::function<bool()> is_made = [] { return false; };  // whether they do
};

// The work was stopped on request.
class WorkStopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped on request"; }
};

// How long a process is waited for, by the clock on the wall. Time in which this process was stopped itself,
// as by Ctrl-Z, does not count: between two looks passes a slice, or what this process has computed.
class TimeLimit {
 public:
  static constexpr double longest_idle_s = 10;

  // Of a worker, time is also over when it has used no CPU for longest_idle_s, and nothing came of it.
  explicit TimeLimit(double seconds, pid_t worker = 0);

  // How long to wait before the next look, in ms; 0 when the time is over.
  int next_slice_ms();
  // Something came of the worker.
  void restart_idle_time() { idle_s_ = 0; }
  bool was_idle() const { return idle_s_ >= longest_idle_s; }

 private:
  double left_s_, idle_s_ = 0, worker_cpu_s_ = 0, own_cpu_s_;
  pid_t worker_;
  std::chrono::steady_clock::time_point looked_;
};

// Waits until there is something to read, or room to write, or the other end is gone; false when the time is
// over first. Throws WorkStopped.
bool wait_to_read(int descriptor, TimeLimit& limit, const StopRequest& stop);
bool wait_to_write(int descriptor, TimeLimit& limit, const StopRequest& stop);

// While this lives, SIGINT, SIGTERM and SIGHUP do not end the process: they ask for its work to be stopped,
// so that what it has measured can be kept. There may be one of it at a time.
class Interruption {
 public:
  // Throws Error.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  StopRequest request() const;
  // The signal that came first; 0 for none.
  int signal() const;
  const char* name() const;  // "SIGINT"
};

// How work in a process of its own came to its end.
struct ChildEnd {
  enum class Kind { finished, time_limit, killed };
  Kind kind = Kind::finished;
  std::string output;  // what the work returned
  int signal = 0;      // that killed it
};

using gpulab::StopRequest;
using gpulab::WorkStopped;

// Work in a child of this process. What it writes to stdout and stderr is dropped. The child, and whatever it
// has started, ends with this object, and when this process ends.
class ChildProcess {
 public:
  // Starts the work. Must be called before this process has started threads, which a child would not have.
  explicit ChildProcess(const std::function<std::string()>& work);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // For poll(): readable when the work is done, or the child is gone.
  int descriptor() const { return answer_; }

  // Waits until it is done, for at most so many seconds from now. An Error that the work throws is thrown
  // here. Throws WorkStopped. To be called once.
  ChildEnd wait(double time_limit_s, const StopRequest& stop = {});

 private:
  ChildEnd reap(ChildEnd::Kind kind);

  pid_t child_ = -1;
  int answer_ = -1;  // the end of a pipe
  std::string output_;
};

// Does the work in a child of this process, and waits until it is done.
ChildEnd run_in_child(const std::function<std::string()>& work, double time_limit_s);

// A program that runs beside this one and says what it does on its stdout, line by line. What it writes to
// stderr goes where this process's goes. It is killed when this object goes, and when this process ends.
class Program {
 public:
  // The first word is its file, or a name to be found in PATH. It reads the input from its stdin. Throws
  // Error.
  Program(const std::vector<std::string>& words, const std::string& input);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  enum class Wait { line, end, too_long };

  // Waits for the next line, and gives it without its line break. What the program was about to say when it
  // ended is no line. Throws WorkStopped.
  Wait next_line(std::string& line, TimeLimit& limit, const StopRequest& stop);

  // Waits for its end, as a shell does: 128 + signal when a signal ended it.
  int exit_status();

 private:
  pid_t process_ = -1;
  int output_ = -1;
  std::string unread_;
};

}  // namespace gpulab
