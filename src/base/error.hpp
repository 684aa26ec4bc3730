#pragma once

#include <stdexcept>
#include <string>

namespace gpulab {

// Exit codes of the program. docs/reference.md lists them for users.
enum class ExitCode : int {
  ok = 0,
  wrong_result = 1,
  usage = 2,
  compilation = 3,
  device = 4,
  regression = 5,
};

// Base of the errors that end a command. main() catches it, prints the message and exits with the code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ExitCode::usage, message) {}
};

// Thrown for a file that cannot be read or is not of the required kind.
class UnreadableFile : public UsageError {
 public:
  UnreadableFile(const std::string& name, const std::string& why)
      : UsageError("cannot read " + name + ": " + why), why_(why) {}
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

}  // namespace gpulab
