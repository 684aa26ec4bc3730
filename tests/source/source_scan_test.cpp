#include "source/device_code.hpp"

#include "simulator/simulator_fixture.hpp"

namespace gpulab::source {
namespace {

TEST(SourceScanner, RefusesWhatTheSimulatorLacksByItsNameAndLine) {
  const std::pair<const char*, const char*> refused[] = {
      {"#include <cub/cub.cuh>", "CUB"},
      {"#include <thrust/sort.h>", "Thrust"},
      {"#include <cuda/pipeline>", "libcu++"},
      {"#include <curand_kernel.h>", "cuRAND"},
      {"#include \"/etc/hostname\"", "by its path"},
      {"  #  include \"../mine.cuh\"", "by its path"},
      {"asm(\"mov.u32 %0, %laneid;\" : \"=r\"(lane));", "inline PTX"},
      {"asm volatile(\"bar.sync 0;\");", "inline PTX"},
      {"wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;", "tensor cores"},
      {"typedef cub::BlockReduce<float, 128> Reduce;", "CUB"},
      {"cuda::barrier<cuda::thread_scope_block> all(32);", "libcu++"},
      {"cg::this_grid().sync();", "whole grid"},
      {"cg::memcpy_async(block, to, from, bytes);", "asynchronous copies"},
      {"float x = tex2D<float>(image, u, v);", "textures"},
      {"child<<<1, 32>>>(p);", "launching kernels from kernels"}};
  for (const auto& [text, what] : refused) {
    const SourceScan scan = scan_source(std::string("\n\n") + text + "\n");
    EXPECT_TRUE(simulator::contains(scan.refused, what)) << text;
    EXPECT_EQ(scan.refused_line, 3) << text;
  }
}

TEST(SourceScanner, ReadsNeitherCommentsNorLiterals) {
  for (const char* text :
       {"// #include <x>, asm(), wmma", "/* cub::\n cuda:: <<< */", "printf(\"asm(%d) <<<\\\" wmma\", 1);",
        "const char quote = '\"'; // cub::", "int plasma = 1, wmmass = 2, asm_ = 3;"})
    EXPECT_EQ(scan_source(text).refused, "") << text;
}

TEST(SourceScanner, LetsCudasAtomicReferencesPass) {
  for (const char* text :
       {"#include <cuda/atomic>", "cuda::atomic_ref<int, cuda::thread_scope_device> cell(*p);",
        "cell.fetch_add(1, cuda::memory_order_relaxed);"})
    EXPECT_EQ(scan_source(text).refused, "") << text;
}

TEST(SourceScanner, NamesTheFirstLineOfSeveralThatAreRefused) {
  const SourceScan scan = scan_source("\ncub::sum();\nasm(\"\");\n");
  EXPECT_TRUE(simulator::contains(scan.refused, "CUB"));
  EXPECT_EQ(scan.refused_line, 2);
}

TEST(SourceScanner, FindsTheNamesOfKernelsInEveryFormOfTheirDeclaration) {
  const SourceScan scan = scan_source(R"(#define KERNEL static __global__
__global__ void first(float* A);
void __global__ second() {}
static __global__ __launch_bounds__(256, 2) void third(int) {}
__global__ void __launch_bounds__(128) fourth(int) {}
extern "C" __global__ void fifth() {}
template <> __global__ void sixth<float>(float*) {}
KERNEL void seventh() {}
// __global__ void none();
__device__ void nor_this() {})");
  EXPECT_EQ(scan.kernels,
            (std::vector<std::string>{"first", "second", "third", "fourth", "fifth", "sixth", "seventh"}));
}

TEST(SourceScanner, FindsTheNamesOfDynamicSharedMemory) {
  const SourceScan scan = scan_source(R"(extern __shared__ float first[];
__shared__ float not_this[32];
// extern __shared__ float nor_this[];
void f() { extern  __shared__  __align__(16)
    unsigned char second[ ]; extern __shared__ float first[]; })");
  EXPECT_EQ(scan.dynamic_shared, (std::vector<std::string>{"first", "second"}));
}

TEST(SourceScanner, FindsDynamicSharedMemoryInNamespacesAndInEveryOrderOfItsWords) {
  const SourceScan scan = scan_source(R"(namespace a::b { void f() { extern __shared__ float first[]; } }
namespace { void f() { __shared__ extern float second[]; } }
namespace c = a; extern volatile __shared__ __align__(16) int third[];)");
  EXPECT_EQ(scan.dynamic_shared,
            (std::vector<std::string>{"_ZN1a1b5firstE", "_ZN12_GLOBAL__N_16secondE", "third"}));
}

TEST(SourceScanner, TakesAnEmptyAsmForABarrierToTheCompiler) {
  EXPECT_EQ(scan_source("asm volatile(\"\" ::: \"memory\");").refused, "");
  EXPECT_NE(scan_source("asm volatile(\"membar.gl;\" ::: \"memory\");").refused, "");
}

TEST(SourceScanner, DoesNotMistakeAVariableForATexture) {
  EXPECT_EQ(scan_source("if (texture < limit) texture += 1;").refused, "");
  EXPECT_NE(scan_source("texture<float, 2> image;").refused, "");
}

class SimulatorCompilerTest : public simulator::SimulatorTest {
 protected:
  CompileError error_of(const std::string& text) {
    try {
      device().compile({"folder/learner.cu", text}, {});
    } catch (const CompileError& error) {
      return error;
    }
    ADD_FAILURE() << "it compiled";
    return {"none", "none", {}};
  }
};

TEST_P(SimulatorCompilerTest, RefusesASourceWithoutAskingTheCompiler) {
  const CompileError error = error_of("\n#include <cub/cub.cuh>\n");
  EXPECT_TRUE(simulator::contains(error.what(), "folder/learner.cu, line 2: the simulator does not have"))
      << error.what();
  EXPECT_EQ(error.failure().line, 2);
}

TEST_P(SimulatorCompilerTest, PassesOnTheLineAndTheWordsOfTheCompiler) {
  const CompileError error = error_of("__global__ void f(int* out) {\n  out[0] = undeclared;\n}\n");
  EXPECT_TRUE(simulator::contains(error.what(), "folder/learner.cu does not compile: line 2: "));
  EXPECT_TRUE(simulator::contains(error.what(), "undeclared"));
  EXPECT_TRUE(simulator::contains(error.log(), "folder/learner.cu:2:"));
}

TEST_P(SimulatorCompilerTest, RefusesWhatAGpuCompilerRefuses) {
  const std::string head = "__global__ void f(const int* in, int* out) {\n";
  EXPECT_TRUE(
      simulator::contains(error_of(head + "  int n[in[0]];\n  out[0] = n[in[1]];\n}\n").what(), "line 2"));
  EXPECT_TRUE(simulator::contains(error_of(head + "  threadIdx.x = 0;\n}\n").what(), "line 2"));
  EXPECT_TRUE(simulator::contains(error_of(head + "  __syncthread();\n}\n").log(), "__syncthreads"));
}

TEST_P(SimulatorCompilerTest, SaysNothingAboutACorrectFileOfWhichAFunctionIsUnused) {
  const std::string text =
      "extern __shared__ int words[];\n"
      "__device__ int unused() { __shared__ int tile[4]; return tile[0] + words[0]; }\n"
      "__global__ void f(int* out) { out[0] = wrong; }\n";
  EXPECT_FALSE(simulator::contains(error_of(text).log(), "warning")) << error_of(text).log();
}

TEST_P(SimulatorCompilerTest, NamesBothSignaturesWhenAKernelHasOtherParameters) {
  const auto module =
      device().compile({"learner.cu", "__global__ void add(float* a, int n) { a[n] += 1; }\n"}, {});
  try {
    find<const float*, float*, int>(*module, "add");
    FAIL() << "found";
  } catch (const CompileError& error) {
    EXPECT_TRUE(simulator::contains(error.what(), "add(float*, int)"));
    EXPECT_TRUE(simulator::contains(error.what(), "add(const float*, float*, int)"));
  }
}

TEST_P(SimulatorCompilerTest, FindsKernelsOnlyAmongGlobalFunctions) {
  const auto module = device().compile({"learner.cu",
                                        "__device__ int helper(int x) { return x; }\n"
                                        "__global__ void add(float* a, int n) { a[n] += helper(n); }\n"},
                                       {});
  try {
    find<int>(*module, "summary");
    FAIL() << "found";
  } catch (const CompileError& error) {
    EXPECT_TRUE(simulator::contains(error.what(), "it has add"));
    EXPECT_FALSE(simulator::contains(error.what(), "helper"));
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, SimulatorCompilerTest, simulator::both_compilers,
                         simulator::name_of_compiler);

}  // namespace
}  // namespace gpulab::source
