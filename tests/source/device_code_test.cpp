#include "source/device_code.hpp"
#include "simulator/compile/module.hpp"

#include <gtest/gtest.h>

#include "text_contains.hpp"

namespace gpulab::source {
namespace {

std::string why(const std::string& text) {
  const auto refusal = refused_in_text(text);
  return refusal ? std::to_string(refusal->line) + ": " + refusal->why : "";
}

TEST(DeviceCode, IsWhateverAGpuRuns) {
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
  EXPECT_TRUE(contains(why("extern \"C\" int system(const char*);"), "system() is a function of the host"));
  EXPECT_TRUE(contains(why("struct A { int x; A() { x = 1; } };"), "A() is a function of the host"));
  EXPECT_TRUE(contains(why("namespace n { template <class T> T twice(T x) { return x + x; } }"), "twice()"));
  EXPECT_TRUE(contains(why("int main() { return 0; }"), "no main()"));
}

TEST(DeviceCode, HasNoVariablesOfTheHost) {
  EXPECT_EQ(
      why("int counter = 0;"),
      "1: counter is a variable of the host, which a kernel cannot see: write __device__ or const before it");
  EXPECT_TRUE(contains(why("static float* saved;"), "saved"));
  EXPECT_TRUE(contains(why("struct { int a; } state;"), "variable of the host"));
}

TEST(DeviceCode, HasNoAttributesThatSwitchTheWatchingOff) {
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
      contains(why("__global__ void k(int* a) { __atomic_store_n(a, 1, 0); }"), "no function of CUDA"));
  EXPECT_TRUE(
      contains(why("__global__ void k(int* a) { __builtin_return_address(0); }"), "no function of CUDA"));
  EXPECT_TRUE(contains(why("__global__ void k(int* a) { __builtin_alloca(9); }"), "no function of CUDA"));
  EXPECT_EQ(why("__global__ void k(int* a) { if (__builtin_expect(*a, 1)) *a = __builtin_popcount(*a); }"),
            "");
}

TEST(DeviceCode, KeepsOutOfTheSimulatorsNames) {
  EXPECT_EQ(refused_name("\n#ifdef GPULAB_HOOKED\n#endif")->line, 2);
  EXPECT_TRUE(refused_name("__global__ void gpulab_barrier() {}"));
  EXPECT_TRUE(contains(why("extern \"C\" __device__ void __tsan_read4(void*) {}"), "simulator's own"));
  EXPECT_FALSE(refused_name("// gpulab_barrier\n__global__ void k() { printf(\"gpulab_\"); }"));
}

TEST(DeviceCode, IsReadAsThePreprocessorLeavesIt) {
  EXPECT_TRUE(needs_preprocessing("#define DEVICE __device__\n"));
  EXPECT_TRUE(needs_preprocessing("as\\\nm"));
  EXPECT_FALSE(needs_preprocessing("#include <cmath>\n#pragma unroll\n__global__ void k() {}"));
  for (const char* text :
       {"/**/#define A b", "#define A // pragma", "x \\ \n y", "%:define A", "??=define A", "R\"(x)\"",
        "a \r b", "int \\u0061;", "#pragma unroll /*", "_Pragma(\"x\")", "#include HEADER", "# 3 \"x\""})
    EXPECT_TRUE(needs_preprocessing(text)) << text;
  EXPECT_EQ(in_its_lines(
                "# 1 \"k.cu\"\n\n  a\n# 7 \"k.cu\"\nb c\n#pragma unroll\n# 7 \"k.cu\"\n d\n# 9 \"k.cu\"\ne\n",
                "k.cu", {})
                .text,
            "\n  a\n\n\n\n\nb c\n#pragma unroll\n d e\n");
}

}  // namespace
}  // namespace gpulab::source
