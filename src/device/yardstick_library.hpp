#pragma once

#include <string>
#include <vector>

#include "device/host.hpp"
#include "yardsticks/yardstick.hpp"

namespace gpulab::device {

// One of the libraries that some variants need, found at run time: "cub", "nccl".
struct LibraryStatus {
  std::string name;
  std::string version;  // "CUB 3.0.1"; empty where it cannot be used
  std::string problem;  // why it cannot, in the loader's words
};

// One of the libraries in src/yardsticks/, opened: "cub" is libgpulab_cub.so, beside the program or in the
// folder lib next to the program's.
class YardstickLibrary {
 public:
  // Throws std::runtime_error with the loader's words when it is not there or lacks what it needs.
  explicit YardstickLibrary(const std::string& name);

  const char* version() const { return offered_.library; }
  // Null when it has no such call.
  const GpulabYardstick* find(const std::string& call) const;

 private:
  DynamicLibrary library_;
  GpulabYardsticks offered_{};
};

// The library of a yardstick, "cub-reduce", named by what stands before the first hyphen. It is opened when
// first asked for. Null where it is missing.
const YardstickLibrary* library_of_yardstick(const std::string& call);

// The yardstick of that name; null where it is missing.
const GpulabYardstick* find_yardstick(const std::string& call);

// What this machine has of each library, and why not.
std::vector<LibraryStatus> yardstick_status(const std::vector<std::string>& names);

// Those that take memory of a GPU, and those that take memory of the host.
inline const std::vector<std::string> gpu_yardsticks = {"cub", "cublas", "cudnn"};
inline const std::vector<std::string> host_yardsticks = {"onednn", "opencl"};

}  // namespace gpulab::device
