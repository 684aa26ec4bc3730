#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "source/program_files.hpp"
#include "source/statements.hpp"

namespace gpulab::source {

// Rewriting of a CUDA program for a C++ compiler: its kernel bodies, launches and device variables. Each is
// rewritten in place, so that every line keeps its number.

// A change of a text: `removed` bytes at `at` are replaced.
struct Edit {
  std::size_t at = 0;
  std::size_t removed = 0;
  std::string inserted;
};

// A rewritten text, which knows where its characters were in the original.
class RewrittenText {
 public:
  // Edits may be in any order; those at the same place are applied in the order of the list.
  RewrittenText(std::string_view original, std::vector<Edit> edits);

  const std::string& text() const { return text_; }
  // Returns the column before rewriting, in bytes from 1; for inserted text, the place of the insertion.
  int original_column(int line, int column) const;

 private:
  struct Piece {
    std::size_t begin = 0;     // in the new text
    std::size_t original = 0;  // in the original
    bool is_inserted = false;
  };
  std::string text_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> lines_, original_lines_;  // where lines begin
};

// Rewrites what is on the left to what is on the right:
//   kernel, f(int n) { BODY }      f(int n) { gpulab_enter(__func__, [=]() mutable { BODY }); }
//   parameters that BODY uses      GPULAB_GIVEN(n){GPULAB_OWN(n) BODY}, a variable of the thread
//   __launch_bounds__(256) there   the same, and GPULAB_STATE_BOUNDS(256) before gpulab_enter
//   f<T><<<grid, block>>>(n)       (gpulab_configure(grid, block), f<T>(n))
//   (void*)f                       gpulab_kernel->*f
//   __device__ float x;            __device__ GPULAB_DEVICE_VARIABLE float x;
//   return; in int main()          return 0;
//   asm("mov.u32 %0, %1;" ...)     do { C++ } while (0)
// A launch is thus an ordinary call of the kernel, with all that C++ allows there. The called kernel passes
// its body, with copies of its arguments, to the device. Throws CompileError for a launch that is not closed.
RewrittenText rewritten(const std::string& file, const Code& code);

// Returns whether a GPU lacks this function of the C library, whose accesses could not be watched either.
bool is_host_library_function(std::string_view name);

// Refuses a kernel that calls a function of the host, and host code that calls one of the device: nvcc
// refuses these, a C++ compiler does not. Throws CompileError with the line to change. Understands functions
// outside of classes, and accepts what it does not understand. With nvcc's --expt-relaxed-constexpr, kernels
// may call what is constexpr, such as std::sort() in C++20.
void check_sides(const std::vector<SourceFile>& sources, bool may_call_constexpr = false);

// A function that is defined for the host alone.
struct HostFunction {
  std::string name, file;  // the file's name as in SourceFile
  LineRange lines;
};

// Returns the functions without __device__, __global__ or constexpr, also those that are defined in classes.
std::vector<HostFunction> host_functions(const std::vector<SourceFile>& sources);

}  // namespace gpulab::source
