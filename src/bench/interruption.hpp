#pragma once

#include "sandbox/stop_request.hpp"

namespace gpulab::bench {

// While this lives, SIGINT, SIGTERM and SIGHUP do not end the process: they ask for its work to be stopped,
// so that what it has measured can be kept. There may be one of it at a time.
class Interruption {
 public:
  // Throws Error.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  sandbox::StopRequest request() const;
  // The signal that came first; 0 for none.
  int signal() const;
  const char* name() const;  // "SIGINT"
};

}  // namespace gpulab::bench
