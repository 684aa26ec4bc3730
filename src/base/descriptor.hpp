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

// A file, pipe or socket that is open, and is closed when this goes.
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

  int number() const { return number_; }  // -1 where nothing is open
  bool is_open() const { return number_ >= 0; }
  // Leaves errno as it is.
  void close();

 private:
  int number_ = -1;
};

// All of these are closed in a program that this one starts, unless it is given them.

struct Pipe {
  Descriptor reader, writer;  // not open where there could be no pipe; errno says why
};

Pipe make_pipe();

// A file without a name that has this content, at its beginning. Not open where it could not be made.
Descriptor nameless_file(const char* name, std::string_view content);

// False when not all could be written; errno says why.
bool write_all(int descriptor, std::string_view bytes);

// Waits for bytes and appends them. Returns how many have come: 0 at the end, -1 with errno.
std::ptrdiff_t read_more(int descriptor, std::string& bytes);

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

// How the reading of what another process writes came to its end.
enum class ReadEnd { whole, out_of_time, too_much };

// Appends what comes until the other end is closed. What goes beyond so many bytes is left out. Throws
// WorkStopped.
ReadEnd read_until_end(int descriptor, TimeLimit& limit, const StopRequest& stop, std::size_t most_bytes,
                       std::string& text);

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

}  // namespace gpulab
