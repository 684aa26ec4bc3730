#pragma once

#include <functional>
#include <optional>
#include <string>

namespace gpulab {

// How work in a process of its own came to its end.
struct ChildEnd {
  enum class Kind { finished, time_limit, killed };
  Kind kind = Kind::finished;
  std::string output;  // what the work returned
  int signal = 0;      // that killed it
};

// Does the work in a child of this process, and returns what it returned; an Error that it throws is thrown
// here. What the work writes to stdout and stderr is dropped. After the time limit the child is killed. Must
// be called before this process has started threads, which a child would not have.
ChildEnd run_in_child(const std::function<std::string()>& work, double time_limit_s);

}  // namespace gpulab
