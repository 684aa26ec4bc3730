#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lesson/launch.hpp"

namespace gpulab::device {

// Returns the bytes that Linux can give to this process without swapping, within the limit of its control
// group; SIZE_MAX if that is unknown.
std::size_t free_host_memory_bytes();

// Returns the processor's model; empty if it is unknown.
std::string cpu_name();

// Returns the paths at which a module of this program, such as "cub", may be: libgpulab_cub.so in the
// program's folder, in the folder above, or in lib/ of the folder above. Existing paths come first, so that
// the loader's message is about them.
std::vector<std::string> places_of_module(const std::string& name);

// A shared library opened at run time, so that the program starts on machines without it.
class DynamicLibrary {
 public:
  // Opens the first of these paths and names that the loader can open. Throws
  // std::runtime_error with the loader's message about the first name if it can open none.
  explicit DynamicLibrary(const std::vector<std::string>& names);

  // Points function to the exported symbol, whose name need not be the one in the header: cuMemAlloc is
  // exported as cuMemAlloc_v2. Throws std::runtime_error when the library has no such symbol.
  template <class Function>
  void find(Function*& function, const char* symbol) const {
    function = reinterpret_cast<Function*>(address_of(symbol));
  }

  // Returns the path at which the loader found the library.
  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(void* handle) const noexcept;
  };

  void* address_of(const char* symbol) const;

  std::unique_ptr<void, Closer> handle_;
  std::string path_;
};

// Limits of every CUDA device since compute capability 3.0, from the CUDA C++ Programming Guide's table of
// technical specifications per compute capability.

constexpr Extent max_block{1024, 1024, 64};
constexpr Extent max_grid{2147483647, 65535, 65535};
constexpr std::size_t max_static_shared_bytes = 48 * 1024;
constexpr std::size_t max_constant_bytes = 64 * 1024;

// A limit that a launch breaks.
struct BrokenLimit {
  bool is_of_shared_memory = false;  // otherwise of the grid or its blocks
  std::string text;                  // one sentence
};

// Returns the limit that a launch breaks. max_shared_bytes is the device's limit of static and dynamic shared
// memory together; the other limits are those of all devices.
std::optional<BrokenLimit> broken_launch_limit(const LaunchConfig& config, std::size_t static_shared_bytes,
                                               std::size_t max_shared_bytes);

// Return the sentence about a kernel file that needs more than every device has.
std::string too_much_static_shared(const std::string& file, const std::string& kernel, std::size_t bytes);
std::string too_much_constant(const std::string& file, std::size_t bytes);

// Returns the seconds that a launch may take: on a GPU in all, on the simulator until the next thread
// returns. It is 60, or the environment variable GPULAB_TIME_LIMIT. Throws UsageError if that is not a number
// above 0.
double time_limit();
std::string seconds_text(double seconds);  // "60 s"

}  // namespace gpulab::device
