#include "source/device_code.hpp"

#include "simulator/compile/module.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::source {
namespace {

// Returns the line and the reason of the refusal, as "LINE: REASON", or an empty text.
std::string why(const std::string& text) {
  const auto refusal = refused_in_text(text);
  return refusal ? std::to_string(refusal->line) + ": " + refusal->why : "";
}

TEST(DeviceCode, AcceptsWhatAGpuRuns) {
  for (const char* text :
       {"__global__ void k(int* a) { *a = 1; }",
        "void __global__ k(int* a) { *a = 1; }",
        "extern \"C\" __global__ void k(int* a) { *a = 1; }",
        "extern \"C\" { __global__ void k(int* a) {} }",
        "namespace { __device__ int f() { return 1; } }",
        "static __global__ void __launch_bounds__(256, 2) k(int* a) {}",
        "template <int n = (3 > 2 ? 1 : 2)> __device__ int f() { return n; }",
        "template <class T> struct Sum { T value; __device__ Sum(T v) : value{v} {} __device__ T get() const "
        "{ "
        "return value; } };",
        "struct Pair { int a, b; };\nstruct __align__(8) Wide { float x, y; };",
        "class Shape { public: __device__ virtual int area() const = 0; private: int sides_ = 3; };",
        "enum class Kind { a, b };\nusing Word = unsigned;\ntypedef float (*Function)(float);",
        "constexpr int size = 4;\nconst float weights[] = {1, 2};",
        "constexpr int next(int x) { return x + 1; }",
        "__constant__ float factors[4] = {1, 2, 3, 4};\n__device__ int counter;\n__shared__ int late;",
        "__device__ auto f(int x) -> int { return x; }",
        "__device__ int f(int x);\n__global__ void k(int* a);\ntemplate __global__ void t<3>(int*);",
        "extern __shared__ float tile[];\nstatic __device__ __forceinline__ float sq(float x) { return x * "
        "x; }",
        "__global__ void k(int* a) { auto f = [=](int x) { return x + 1; }; *a = f(1); int local = 3; { "
        "local++; } }",
        "struct __attribute__((aligned(16))) Quad { float a[4]; };\n#pragma unroll\n",
        "__device__ int operator+(Pair a, int b) { return b; }",
        "[[maybe_unused]] __device__ int f() { return 1; }",
        "static_assert(sizeof(int) == 4, \"int\");",
        "typedef struct { int a; float b; } pair_t;\ntypedef enum { red, green } Colour;",
        "typedef struct Node { Node* next; } Node, *NodePointer;",
        "struct Packed { char a; int b; } __attribute__((packed));\nunion Bits { float f; unsigned u; };",
        "template <> struct Size<int> { static constexpr int value = 4; };",
        "__global__ void k(int* a) { asm volatile(\"\" ::: \"memory\"); }",
        "namespace cg = cooperative_groups;\nusing namespace cg;",
        "__global__ void k(int* a) { switch (*a) { case 1: break; default: { *a = 2; } } }",
        "__device__ int x = 3, y = 4;;\n__device__ struct { int a; } state;"})
    EXPECT_EQ(why(text), "") << text;
}

TEST(DeviceCode, HasNoFunctionsOfTheHost) {
  EXPECT_EQ(why("\nint f(int x) { return x; }"),
            "2: f() is a function of the host, which a GPU cannot call: write __device__ before it");
  EXPECT_EQ(why("void k(int* a) { *a = 1; }"),
            "1: k() is a function of the host, and the file has no kernel: write __global__ before it");
  EXPECT_EQ(why("_Global_ void k(int* a) { *a = 1; }"),
            "1: _Global_ is not known, so the file has no kernel: write __global__");
  EXPECT_TRUE(
      contains(why("extern \"C\" int system(const char*);"),
               "system() is declared here as a function of the host, which a GPU cannot call: take it out"));
  EXPECT_TRUE(contains(why("struct A { int x; A() { x = 1; } };"), "A() is a function of the host"));
  EXPECT_TRUE(contains(why("namespace n { template <class T> T twice(T x) { return x + x; } }"), "twice()"));
  EXPECT_TRUE(contains(why("int main() { return 0; }"), "no main()"));
  EXPECT_EQ(why("__global__ void k(int* a) {}\nif (x) a[0] = 1;\n}"), "") << "a compiler says what this is";
}

TEST(DeviceCode, HasNoVariablesOfTheHost) {
  EXPECT_EQ(
      why("int counter = 0;\n__global__ void k(int* a) { *a = counter; }"),
      "1: counter is a variable of the host, which a kernel cannot see: write __constant__ before it if the "
      "host sets it, __device__ if kernels do, or const if it has its value");
  EXPECT_EQ(why("int x = 0;\n__global__ void k(int* a) { *a = 1; }"),
            "1: x is a variable of the host, and no kernel uses it: take it out");
  EXPECT_TRUE(contains(why("static float* saved;"), "saved"));
  EXPECT_TRUE(contains(why("struct { int a; } state;"), "variable of the host"));
  EXPECT_EQ(why("int x = ;"), "") << "the compiler says what is wrong with it";
  EXPECT_EQ(why("int x = 3\n__global__ void k(int* a) { *a = x; }"), "") << "it lacks a semicolon";
  for (const char* end : {"int x\n", "int x = 3", "namespace n { int x }"})
    EXPECT_EQ(why(std::string("__global__ void k(int* a) { *a = 1; }\n") + end), "")
        << "it lacks a semicolon";
  EXPECT_TRUE(contains(why("__global__ void k(int* a) { *a = 1; }\nint x;"), "x is a variable of the host"));
}

TEST(DeviceCode, HasNoAttributesThatSwitchTheInstrumentationOff) {
  EXPECT_TRUE(
      contains(why("__attribute__((no_sanitize(\"thread\"))) __global__ void k() {}"), "no_sanitize"));
  EXPECT_TRUE(contains(why("[[gnu::no_sanitize_thread]] __device__ void k() {}"), "no_sanitize_thread"));
  EXPECT_TRUE(contains(why("__attribute__((constructor)) __device__ void k() {}"), "constructor"));
  EXPECT_TRUE(contains(why("__attribute__((section(\".init_array\"))) __device__ int k;"), "section"));
  EXPECT_TRUE(contains(why("#pragma GCC optimize(\"O3\")\n"), "#pragma GCC optimize"));
  EXPECT_TRUE(contains(why("#pragma redefine_extname f system\n"), "redefine_extname"));
  EXPECT_TRUE(contains(why("_Pragma(\"weak f\")"), "weak"));
}

TEST(DeviceCode, HasNoAssembly) {
  EXPECT_TRUE(contains(why("__global__ void k() { asm(\"syscall\"); }"), "asm"));
  EXPECT_TRUE(contains(why("__global__ void k() { __asm__ volatile(\"\" \"syscall\"); }"), "asm"));
}

TEST(DeviceCode, HasNoFunctionsOfTheCompiler) {
  EXPECT_TRUE(
      contains(why("__global__ void k(int* a) { __atomic_store_n(a, 1, 0); }"), "not a function of CUDA"));
  EXPECT_TRUE(
      contains(why("__global__ void k(int* a) { __builtin_return_address(0); }"), "not a function of CUDA"));
  EXPECT_TRUE(contains(why("__global__ void k(int* a) { __builtin_alloca(9); }"), "not a function of CUDA"));
  EXPECT_EQ(why("__global__ void k(int* a) { if (__builtin_expect(*a, 1)) *a = __builtin_popcount(*a); }"),
            "");
}

TEST(DeviceCode, HasNoNamesOfTheSimulator) {
  EXPECT_EQ(refused_name("\n#ifdef GPULAB_HOOKED\n#endif")->line, 2);
  EXPECT_TRUE(refused_name("__global__ void gpulab_barrier() {}"));
  for (const char* kernel : {"__global__ int k();", "static int __global__ k();", "__global__ void* k();",
                             "__global__ __launch_bounds__(128) inline float k();"})
    EXPECT_TRUE(refused_name(kernel)) << kernel;
  EXPECT_FALSE(refused_name("int f(); __global__ void __launch_bounds__(128) k();"));
  EXPECT_TRUE(contains(why("extern \"C\" __device__ void __tsan_read4(void*) {}"), "simulator's own"));
  EXPECT_FALSE(refused_name("// gpulab_barrier\n__global__ void k() { printf(\"gpulab_\"); }"));
}

TEST(DeviceCode, IsReadAsThePreprocessorLeavesIt) {
  EXPECT_TRUE(needs_preprocessing("#define DEVICE __device__\n"));
  EXPECT_TRUE(needs_preprocessing("as\\\nm"));
  EXPECT_FALSE(needs_preprocessing("#include <cmath>\n#pragma unroll\n__global__ void k() {}"));
  for (const char* text :
       {"/**/#define A b", "#define A // pragma", "x \\ \n y", "%:define A", "?\?=define A", "R\"(x)\"",
        "a \r b", "int \\u0061;", "#pragma unroll /*", "_Pragma(\"x\")", "#include HEADER", "# 3 \"x\""})
    EXPECT_TRUE(needs_preprocessing(text)) << text;
  EXPECT_EQ(own_text_in(
                "# 1 \"k.cu\"\n\n  a\n# 7 \"k.cu\"\nb c\n#pragma unroll\n# 7 \"k.cu\"\n d\n# 9 \"k.cu\"\ne\n",
                "k.cu", {})
                .text,
            "\n  a\n\n\n\n\nb c\n#pragma unroll\n d e\n");
}

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
      {"cg::this_grid().barrier_arrive();", "in two parts"},
      {"cg::memcpy_async(block, to, from, bytes);", "asynchronous copies"},
      {"float x = tex2D<float>(image, u, v);", "textures"},
      {"child<<<1, 32>>>(p);",
       "launches in a kernel file (<<<...>>>): leave the launch out, gpulab launches the kernel"}};
  for (const auto& [text, what] : refused) {
    const SourceScan scan = scan_source(std::string("\n\n") + text + "\n");
    EXPECT_TRUE(contains(scan.why_refused, what)) << text;
    EXPECT_EQ(scan.refused_line, 3) << text;
  }
}

TEST(SourceScanner, ReadsNeitherCommentsNorLiterals) {
  for (const char* text :
       {"// #include <x>, asm(), wmma", "/* cub::\n cuda:: <<< */", "printf(\"asm(%d) <<<\\\" wmma\", 1);",
        "const char quote = '\"'; // cub::", "int plasma = 1, wmmass = 2, asm_ = 3;"})
    EXPECT_EQ(scan_source(text).why_refused, "") << text;
}

TEST(SourceScanner, LetsCudasAtomicReferencesPass) {
  for (const char* text :
       {"#include <cuda/atomic>", "cuda::atomic_ref<int, cuda::thread_scope_device> cell(*p);",
        "cell.fetch_add(1, cuda::memory_order_relaxed);"})
    EXPECT_EQ(scan_source(text).why_refused, "") << text;
}

TEST(SourceScanner, NamesTheFirstLineOfSeveralThatAreRefused) {
  const SourceScan scan = scan_source("\ncub::sum();\nasm(\"\");\n");
  EXPECT_TRUE(contains(scan.why_refused, "CUB"));
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

TEST(SourceScanner, AllowsAnEmptyAsmAsABarrierToTheCompiler) {
  EXPECT_EQ(scan_source("asm volatile(\"\" ::: \"memory\");").why_refused, "");
  EXPECT_NE(scan_source("asm volatile(\"membar.gl;\" ::: \"memory\");").why_refused, "");
}

TEST(SourceScanner, DoesNotMistakeAVariableForATexture) {
  EXPECT_EQ(scan_source("if (texture < limit) texture += 1;").why_refused, "");
  EXPECT_NE(scan_source("texture<float, 2> image;").why_refused, "");
}

class SimulatorCompilerTest : public simulator::SimulatorTest {
 protected:
  CompileError error_of(const std::string& text) {
    return thrown<CompileError>([&] { device().compile({"folder/learner.cu", text}, {}); });
  }
};

TEST_P(SimulatorCompilerTest, RefusesASourceWithoutAskingTheCompiler) {
  const CompileError error = error_of("\n#include <cub/cub.cuh>\n");
  EXPECT_TRUE(contains(error.what(), "folder/learner.cu, line 2: the simulator does not have"));
  EXPECT_EQ(error.failure().line, 2);
}

TEST_P(SimulatorCompilerTest, PassesOnTheLineAndTheWordsOfTheCompiler) {
  const CompileError error = error_of("__global__ void f(int* out) {\n  out[0] = undeclared;\n}\n");
  EXPECT_TRUE(contains(error.what(), "folder/learner.cu does not compile: line 2: "));
  EXPECT_TRUE(contains(error.what(), "undeclared"));
  EXPECT_TRUE(contains(error.log(), "folder/learner.cu:2:"));
}

TEST_P(SimulatorCompilerTest, RefusesWhatAGpuCompilerRefuses) {
  const std::string head = "__global__ void f(const int* in, int* out) {\n";
  EXPECT_TRUE(contains(error_of(head + "  int n[in[0]];\n  out[0] = n[in[1]];\n}\n").what(), "line 2"));
  EXPECT_TRUE(contains(error_of(head + "  threadIdx.x = 0;\n}\n").what(), "line 2"));
  EXPECT_TRUE(contains(error_of(head + "  __syncthread();\n}\n").log(), "__syncthreads"));
}

TEST_P(SimulatorCompilerTest, GivesNoWarningOfUnusedFunctionsWithAnError) {
  const std::string text =
      "extern __shared__ int words[];\n"
      "__device__ int unused() { __shared__ int tile[4]; return tile[0] + words[0]; }\n"
      "__global__ void f(int* out) { out[0] = wrong; }\n";
  EXPECT_FALSE(contains(error_of(text).log(), "warning")) << error_of(text).log();
}

TEST_P(SimulatorCompilerTest, NamesBothSignaturesWhenAKernelHasOtherParameters) {
  const auto module =
      device().compile({"learner.cu", "__global__ void add(float* a, int n) { a[n] += 1; }\n"}, {});
  const auto error = thrown<CompileError>([&] { find<const float*, float*, int>(*module, "add"); });
  EXPECT_TRUE(contains(error.what(), "add(float*, int)"));
  EXPECT_TRUE(contains(error.what(), "add(const float*, float*, int)"));
}

TEST_P(SimulatorCompilerTest, FindsKernelsOnlyAmongGlobalFunctions) {
  const auto module = device().compile({"learner.cu",
                                        "__device__ int helper(int x) { return x; }\n"
                                        "__global__ void add(float* a, int n) { a[n] += helper(n); }\n"},
                                       {});
  const auto error = thrown<CompileError>([&] { find<int>(*module, "summary"); });
  EXPECT_TRUE(contains(error.what(), "it has add"));
  EXPECT_FALSE(contains(error.what(), "helper"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, SimulatorCompilerTest, simulator::both_compilers,
                         simulator::name_of_compiler);

}  // namespace
}  // namespace gpulab::source
