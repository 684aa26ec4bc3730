#include "source/launch_text.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "lesson/finding.hpp"

namespace gpulab::source {
namespace {

// Why the files are refused; empty if they are not. The first is the program.
std::string refusal(const std::string& text, const std::string& header = "") {
  std::vector<SourceFile> sources{{"sum.cu", "sum.cu", text, true}};
  if (!header.empty()) sources.push_back({"part.cuh", "part.cuh", header, false});
  try {
    check_sides(sources);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(Sides, RefuseWhatNvccRefusesAtTheLineToChange) {
  const struct {
    const char *text, *begins_with;
  } wrong[] = {
      {"float half_of(float x) { return x / 2; }\n__global__ void k(float* a) { a[0] = half_of(a[0]); }",
       "sum.cu, line 1: half_of() is a function of the host, and the kernel k calls it in line 2"},
      {"namespace a {\nstatic int f() { return 1; }\n__device__ int g() { return f(); }\n}",
       "sum.cu, line 2: f() is a function of the host, and the __device__ function g calls it in line 3"},
      {"__device__ int on_device() { return 1; }\nint main() {\n  return on_device();\n}",
       "sum.cu, line 3: on_device() is a __device__ function, and main() of the host calls it"},
      {"int total = 0;\n__global__ void k() {\n  atomicAdd(&total, 1);\n}",
       "sum.cu, line 3: the kernel k uses total, a variable of the host (line 1)"},
      {"__global__ void k(const int* a,\n                  int& sum) { sum = a[0]; }",
       "sum.cu, line 2: the kernel k has a parameter by reference"},
      {"template <int n = 4>\n__host__ __device__ int f() { return n; }\nint g() { return 1; }\n__global__ "
       "void k(int* a) { *a = f() + g(); }",
       "sum.cu, line 3: g() is a function of the host"}};
  for (const auto& [text, begins_with] : wrong)
    EXPECT_TRUE(refusal(text).starts_with(begins_with)) << text << "\n" << refusal(text);
}

TEST(Sides, LeaveAloneWhatIsRightOrNotUnderstood) {
  const char* const right[] = {
      "__managed__ int x;\n__global__ void k(int& y) { ++y; }\nint main() { k<<<1, 1>>>(x); }",
      "__device__ float f(float x) { return x; }\n__global__ void k(float* a) { *a = f(*a); }",
      "#define BOTH __host__ __device__\nBOTH int f() { return 1; }\n__global__ void k(int* a) { *a = f(); "
      "}\nint main() { return f(); }",
      "constexpr int f(int n) { return n; }\n__global__ void k(int* a) { *a = f(3); }",
      "const int n = 4;\nint m;\n__global__ void k(int* a, int m) { int n = 2, i = m; a[i] = n; }",
      "struct Sum { int f() { return 1; } };\n__device__ int f() { return 2; }\nint main() { Sum s; return "
      "s.f(); }",
      "__device__ int f() { return 1; }\nint main() { auto g = [] __device__ () { return f(); }; (void)g; }",
      "#ifdef A\nint f() { return 1; }\n#else\n__device__ int f() { return 1; }\n#endif\n__global__ void "
      "k(int* a) { *a = f(); }",
      "namespace cg = cooperative_groups;\n__global__ void k() { cg::this_grid().sync(); }",
      "int f() { return 1; }\n__device__ int f(int n) { return n; }\n__global__ void k(int* a) { *a = f(1); "
      "}",
      "__global__ void k(int* a) { auto f = [](int& x) { x = 1; }; f(*a); }\nint main() { k<<<1, "
      "1>>>(nullptr); }",
      "void log_line(const char* what, int line, bool ends = true) {\n  if (ends) return;\n}\n__global__ "
      "void k(int* a) { for (int i = 0; i < 3; ++i) a[i] = i; }",
      "__global__ void k(int* a) {\n#if A\n  if (*a) {\n#else\n  if (!*a) {\n#endif\n    *a = 1; }\n}\nint "
      "f() { return 1; }",
      "} } ( [ {"};
  for (const char* text : right) EXPECT_EQ(refusal(text), "") << text;
}

TEST(Sides, NameTheHeaderAndKeepVariablesOutThatItMayDeclareInAFunction) {
  const std::string kernel = "#include \"part.cuh\"\n__global__ void k(int* a) { *a = limit(); }";
  EXPECT_TRUE(
      refusal(kernel, "#pragma once\nint limit() { return 1; }").starts_with("part.cuh, line 2: limit()"));
  EXPECT_EQ(refusal("__global__ void k(int* a) {\n#include \"part.cuh\"\n  *a = limit;\n}", "int limit = 3;"),
            "");
}

}  // namespace
}  // namespace gpulab::source
