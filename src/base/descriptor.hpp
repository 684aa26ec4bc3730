#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace gpulab {

// An open file, pipe or socket, closed on destruction.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }  // -1 if nothing is open
  bool is_open() const { return number_ >= 0; }
  // Closes it and leaves errno as it is.
  void close();

 private:
  int number_ = -1;
};

// The two ends of a pipe. A child program inherits neither unless it is passed.
struct Pipe {
  Descriptor reader, writer;  // both closed if pipe() failed; errno says why
};

Pipe make_pipe();

// Makes an unnamed file with this content, positioned at its beginning. Not open on failure.
Descriptor anonymous_file(const char* name, std::string_view content);

// Returns false when not everything could be written; errno says why.
bool write_all(int descriptor, std::string_view bytes);

// Waits for bytes and appends them. Returns how many: 0 at the end, -1 on an error, with errno set.
std::ptrdiff_t read_more(int descriptor, std::string& bytes);

// A token by which work in a child process can be cancelled.
struct StopToken {
  int descriptor = -1;  // becomes readable when a stop may have been requested; -1 for none
  std::function<bool()> requested = [] { return false; };
};

// Thrown when work was stopped on request.
class WorkStopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped on request"; }
};

// Asks ten times a second whether work should stop, so that a stop may depend on more than one descriptor.
class StopTimer {
 public:
  explicit StopTimer(std::function<bool()> requested);

  // Returns a token for work in a child process, which must not outlive this object.
  StopToken token() const;

 private:
  Descriptor timer_;
  std::function<bool()> requested_;
};

// While this object lives, a kernel that runs in this process ends, as at its time limit, when `requested`
// returns true. The thread that waits for the kernel calls it about ten times a second. Only one may exist at
// a time, and no child may be forked meanwhile.
class StoppableKernels {
 public:
  explicit StoppableKernels(std::function<bool()> requested);
  ~StoppableKernels();
  StoppableKernels(const StoppableKernels&) = delete;
  StoppableKernels& operator=(const StoppableKernels&) = delete;
};
constexpr double seconds_between_stop_requests = 0.1;

// Returns whether a kernel that runs in this process has to end.
bool must_kernel_stop();

// Returns the CPU time that a process has used; 0 for one that is gone.
double cpu_seconds_of(pid_t process);

// A time limit on waiting for a process. If that process is known (the worker), its CPU time is limited, so
// that a busy machine does not change the outcome; the wall clock ends only a worker that hardly computes.
// Time during which this process was stopped, as by Ctrl-Z, does not count: between two calls of
// next_slice_ms(), at most 1.5 times the wait that it returned, plus this process's own CPU time, is counted.
class TimeLimit {
 public:
  static constexpr double longest_idle_s = 10, wall_for_each_cpu_second = 20;

  // The time is also over if the worker hardly uses CPU time and makes no progress for longest_idle_s.
  explicit TimeLimit(double seconds, pid_t worker = 0);

  // Counts the time since the last call. Returns how long to wait before the next, in ms; 0 at the end.
  int next_slice_ms();
  // Records that the worker made progress.
  void restart_idle_time() { idle_s_ = 0; }
  bool was_idle() const { return idle_s_ >= longest_idle_s; }

 private:
  double left_s_;                        // of the worker's CPU time or, without a worker, of the wall clock
  double wall_left_s_;                   // of the wall clock
  double idle_s_ = 0;                    // since the worker last used CPU time or made progress
  double worker_cpu_s_ = 0, own_cpu_s_;  // CPU time used up to the last call
  pid_t worker_;
  std::chrono::steady_clock::time_point last_call_;
};

// Waits until the descriptor can be read or written, or its other end is closed. Returns false if the time is
// over first. Throws WorkStopped.
bool wait_to_read(int descriptor, TimeLimit& limit, const StopToken& stop);
bool wait_to_write(int descriptor, TimeLimit& limit, const StopToken& stop);

// How reading another process's output ended.
enum class ReadEnd { whole, out_of_time, too_much };

// Appends everything until the other end is closed, up to max_bytes; drops the rest. Throws WorkStopped.
ReadEnd read_until_end(int descriptor, TimeLimit& limit, const StopToken& stop, std::size_t max_bytes,
                       std::string& text);

// While this object lives, SIGINT, SIGTERM and SIGHUP do not end the process but request that its work stops,
// so that what it has measured can be kept. Only one may exist at a time.
class Interruption {
 public:
  // Throws Error.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  StopToken stop_token() const;
  // Returns the first signal received; 0 for none.
  int signal() const;
  const char* signal_name() const;  // "SIGINT"
};

}  // namespace gpulab
