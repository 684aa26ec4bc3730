#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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

}  // namespace gpulab::device
