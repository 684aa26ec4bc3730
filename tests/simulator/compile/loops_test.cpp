#include <gtest/gtest.h>

#include <string>

#include "simulator/compile/compiler.hpp"

namespace gpulab::simulator::compile {
namespace {

// What the text of the loops chooses from.
std::string kernels_in(const std::string& loops) {
  std::string names;
  for (std::size_t at = 0; (at = loops.find("GPULAB_LOOP_OF(", at)) != std::string::npos;) {
    at += std::string("GPULAB_LOOP_OF(").size();
    names += loops.substr(at, loops.find(')', at) - at) + " ";
  }
  return names;
}

TEST(Loops, AreForKernelsThatWaitForNobody) {
  EXPECT_EQ(kernels_in(loops_for("__global__ void __launch_bounds__(256, 2) add(int* a) { a[0] = 1; }")),
            "add ");
  EXPECT_EQ(loops_for("__global__ void f(int* a) { __syncthreads(); }"), "");
  EXPECT_EQ(kernels_in(loops_for("__device__ void h() { __syncwarp(); }\n"
                                 "namespace n { __device__ void g() { h(); } }\n"
                                 "struct S { __device__ void run() { n::g(); } };\n"
                                 "__global__ void f(int* a) { S s; s.run(); }\n"
                                 "extern \"C\" __global__ void k(int* a) { *a = 1; }\n")),
            "k ");
}

TEST(Loops, AreLeftOutWhereAKernelsNameIsNotEnough) {
  EXPECT_EQ(loops_for("template <class T> __global__ void f(T* a) { *a = 1; }"), "");
  EXPECT_EQ(loops_for("namespace n { __global__ void f(int* a) { *a = 1; } }"), "");
  EXPECT_EQ(loops_for("__global__ void f(int* a) { *a = 1; } __global__ void f(float* a) { *a = 1; }"), "");
  EXPECT_EQ(loops_for("__global__ void f(int* a);"), "");
  EXPECT_EQ(loops_for("}}} __global__ void (((("), "");
}

}  // namespace
}  // namespace gpulab::simulator::compile
