#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/code.hpp"

namespace gpulab::simulator::compile {

// A function of a kernel file. A class counts as one function, with all its members.
struct FileFunction {
  bool is_kernel = false;  // a kernel in no namespace, class or template, so that its name is enough
  std::size_t begin = 0;   // token: __global__
  std::size_t parameters = 0, body = 0;  // tokens: their opening brackets
  std::set<std::string_view> words;      // of the body
};
using FileFunctions = std::multimap<std::string_view, FileFunction>;

// Returns whether the word stands in the list, with a blank before and after each of its words.
inline bool is_in(std::string_view list, std::string_view word) {
  return list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

// Types of values that need no constructor.
constexpr std::string_view number_types =
    " bool char short int long unsigned signed float double size_t float2 float3 float4 int2 int3 int4 uint2 uint3 "
    "uint4 double2 ";
constexpr std::string_view control_words = " if for while do switch return else break continue case ";

inline bool is_barrier(const source::Code& code, std::size_t at) {
  return code.text(at) == "__syncthreads" && code.text(at + 1) == "(" && code.text(at + 2) == ")" &&
         code.text(at + 3) == ";";
}

// Returns the text of a function that runs all threads of a block of the kernel, gpulab_block_<name>, for the
// end of its file; empty if tokens do not show that the kernel can be divided at its barriers. In each region
// between two barriers a thread may need no other. With `sets_index`, the function sets the threadIdx that
// called functions read.
std::string block_function(const source::Code& code, const std::string& file, std::string_view name,
                           const FileFunction& kernel, bool sets_index);

// Text for a kernel file, with loops over the threads of some of its kernels (prelude/loops.cuh).
struct KernelLoops {
  // Text to append: a function of its block for each kernel that can have one; for any other kernel that
  // never waits, a loop over the threads.
  std::string text;
  std::vector<std::size_t> replaced;  // kernels that then run rarely: offsets of their __global__, in order

  // Returns the kernel file with the text appended, and with the replaced kernels marked.
  std::string added_to(std::string file) const;
};
KernelLoops loops_for(const source::Code& code, const std::string& file);

}  // namespace gpulab::simulator::compile
