#pragma once

#include <sys/types.h>
#include <functional>
#include <string>

#include "sandbox/stop_request.hpp"

namespace gpulab::learn {

// How work in a process of its own came to its end.
struct ChildEnd {
  enum class Kind { finished, time_limit, killed };
  Kind kind = Kind::finished;
  std::string output;  // what the work returned
  int signal = 0;      // that killed it
};

using sandbox::StopRequest;
using sandbox::WorkStopped;

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

}  // namespace gpulab::learn
