#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "source/program_files.hpp"

namespace gpulab::source {

// A CUDA program as text for a C++ compiler. Three things are not C++: what a kernel's body is run by, a
// launch, and which variables are the device's. They are rewritten in place, so every line keeps its number.

// A change of a text: at that byte, so many bytes are replaced.
struct Edit {
  std::size_t at = 0;
  std::size_t removed = 0;
  std::string inserted;
};

// A text that was changed, and where its places were before.
class RewrittenText {
 public:
  // Edits may be in any order; those at the same place come in the order of the list.
  RewrittenText(std::string_view original, std::vector<Edit> edits);

  const std::string& text() const { return text_; }
  // Both are counted in bytes from 1. A place in an insertion is where it was inserted.
  int original_column(int line, int column) const;

 private:
  struct Piece {
    std::size_t begin = 0;     // in the new text
    std::size_t original = 0;  // in the one before
    bool is_inserted = false;
  };
  std::string text_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> lines_, original_lines_;  // where they begin
};

// What each becomes:
//   __global__ void f(int n) { BODY }      __global__ void f(int n) { gpulab_enter(__func__, [=]() mutable {
//   BODY }); } f<T><<<grid, block>>>(n)               (gpulab_configure(grid, block), f<T>(n))
//   __device__ float x;                    __device__ GPULAB_DEVICE_VARIABLE float x;
// A launch is thus an ordinary call of the kernel, with all that C++ allows there; called like that, the
// kernel hands its body, with its own copies of the arguments, to the device. Throws CompileError for a
// launch that is not closed.
RewrittenText rewritten(const std::string& file, const Code& code);

// What nvcc refuses and a C++ compiler does not, because a program is compiled in one piece: a kernel that
// calls a function of the host, or uses its variables, and the reverse. Throws CompileError with the line to
// change. Understands functions and variables outside of classes; of what it does not understand it says
// nothing.
void check_sides(const std::vector<SourceFile>& sources);

}  // namespace gpulab::source
