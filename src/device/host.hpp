#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lesson/launch.hpp"

namespace gpulab::device {

// Bytes that Linux can give to this process without swapping, within the limit of its control group; SIZE_MAX
// when it does not tell.
std::size_t free_host_memory_bytes();

// The processor's model; empty when Linux does not tell.
std::string cpu_name();

// Where a module of this program can be, such as "cub": libgpulab_cub.so beside the program, or in the folder
// lib next to the program's. Where it is comes first, so that the loader's words are about that.
std::vector<std::string> places_of_module(const std::string& name);

// A shared library opened at run time. The program starts on machines that do not have it.
class DynamicLibrary {
 public:
  // The first of the names that the loader can open, a path or a name to search for. Throws
  // std::runtime_error with the loader's own words about the first name when it can open none.
  explicit DynamicLibrary(const std::vector<std::string>& names);

  // Points function to the exported symbol, whose name need not be the one in the header: cuMemAlloc is
  // exported as cuMemAlloc_v2. Throws std::runtime_error when the library has no such symbol.
  template <class Function>
  void find(Function*& function, const char* symbol) const {
    function = reinterpret_cast<Function*>(address_of(symbol));
  }

  // Where the loader found it.
  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(void* handle) const noexcept;
  };

  void* address_of(const char* symbol) const;

  std::unique_ptr<void, Closer> handle_;
  std::string path_;
};

// The limits that every CUDA device since compute capability 3.0 has, from the CUDA C++ Programming Guide's
// table of technical specifications per compute capability.

constexpr Extent max_block{1024, 1024, 64};
constexpr Extent max_grid{2147483647, 65535, 65535};
constexpr std::size_t max_static_shared_bytes = 48 * 1024;
constexpr std::size_t max_constant_bytes = 64 * 1024;

// A limit that a launch breaks.
struct BrokenLimit {
  bool is_of_shared_memory = false;  // and not of the grid and its blocks
  std::string text;                  // one sentence
};

// The most shared memory that a block can have, static and dynamic together, is the device's own.
std::optional<BrokenLimit> broken_launch_limit(const LaunchConfig& config, std::size_t static_shared_bytes,
                                               std::size_t max_shared_bytes);

// The sentences about a kernel file that needs more than every device has.
std::string too_much_static_shared(const std::string& file, const std::string& kernel, std::size_t bytes);
std::string too_much_constant(const std::string& file, std::size_t bytes);

// How many seconds a launch may take: on the simulator without a single thread returning, on a GPU in all.
// 60, or what the environment variable GPULAB_TIME_LIMIT says. Throws UsageError when that is no number above
// 0.
double time_limit();
std::string number_of_seconds(double seconds);  // "60 s"

}  // namespace gpulab::device
