#pragma once

#include <sys/types.h>
#include <string>
#include <vector>

#include "sandbox/stop_request.hpp"

namespace gpulab::bench {

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
  Wait next_line(std::string& line, sandbox::TimeLimit& limit, const sandbox::StopRequest& stop);

  // Waits for its end, as a shell does: 128 + signal when a signal ended it.
  int exit_status();

 private:
  pid_t process_ = -1;
  int output_ = -1;
  std::string unread_;
};

}  // namespace gpulab::bench
