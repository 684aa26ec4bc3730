#include "source/launch_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "lesson/finding.hpp"
#include "text_contains.hpp"

namespace gpulab::source {
namespace {

std::string rewritten_text(const std::string& text) {
  const std::string result = rewritten("sum.cu", text).text();
  EXPECT_EQ(std::ranges::count(result, '\n'), std::ranges::count(text, '\n')) << result;
  return result;
}

// Less blanks, which stand where <<<>>> was.
std::string dense(std::string text) {
  std::erase(text, ' ');
  return text;
}

TEST(LaunchText, MakesALaunchACallThatKeepsItsLines) {
  EXPECT_EQ(dense(rewritten_text("k<<<2, 64>>>(a);")), "(gpulab_configure(2,64),k(a));");
  EXPECT_EQ(dense(rewritten_text("k<int><<<dim3(2, 3),\n 64>>>(a,\n b);")),
            "(gpulab_configure(dim3(2,3),64),k<int>\n(a,\nb));");
  EXPECT_TRUE(contains(dense(rewritten_text("for (;;) table[i].f<<<1, 1>>>();")),
                       "for(;;)(gpulab_configure(1,1),table[i].f()"));
  EXPECT_TRUE(
      contains(dense(rewritten_text("if (x) (*f)<<<1, 1>>>();")), "if(x)(gpulab_configure(1,1),(*f)()"));
}

TEST(LaunchText, LetsAMacroHoldTheConfiguration) {
  const std::string result = dense(rewritten_text(
      "#define ON(n) <<<(n) / 64, 64>>>\n#define ONE <<<1, 1>>>\nvoid f() { k ON(n) (a); k ONE(a); }"));
  EXPECT_TRUE(contains(result, "#defineON(n)(n)/64,64\n")) << result;
  EXPECT_TRUE(contains(result, "(gpulab_configure(ON(n)),k(a));")) << result;
  EXPECT_TRUE(contains(result, "(gpulab_configure(ONE),k(a));")) << result;
}

TEST(LaunchText, MarksAManagedVariableOnce) {
  for (const char* text : {"__device__ __managed__ int hits = 0;", "__managed__ __device__ int hits;",
                           "__managed__ float a[3];"}) {
    const std::string result = rewritten_text(text);
    EXPECT_TRUE(contains(result, "GPULAB_MANAGED_VARIABLE")) << result;
    EXPECT_FALSE(contains(result, "GPULAB_DEVICE_VARIABLE")) << result;
  }
}

TEST(LaunchText, RefusesALaunchThatDoesNotEnd) {
  for (const char* text : {"void f() { k<<<1, 1; }", "void f() { k<<<1, 1>>>(a; }", "<<<1, 1>>>(a);"})
    EXPECT_THROW(rewritten("sum.cu", text), CompileError) << text;
}

TEST(LaunchText, LetsTheCompilerRefuseALaunchInAKernel) {
  const auto is_refused = [](const std::string& text) {
    return contains(rewritten_text(text), "is not offered");
  };
  for (const char* mark :
       {"__global__ void", "__device__ int", "template <class T>\n__device__ __forceinline__ void"})
    EXPECT_TRUE(is_refused(std::string(mark) + " f(int* x) {\n  if (*x) k<<<1, 1>>>(x);\n}")) << mark;
  for (const char* text : {"__host__ __device__ void f() { k<<<1, 1>>>(); }",
                           "#define BOTH __host__ __device__\nBOTH void f() { k<<<1, 1>>>(); }",
                           "__device__ int x = 3; void f() { k<<<1, 1>>>(); }",
                           "__device__ void g(); void f() { k<<<1, 1>>>(); }",
                           "__global__ void f() {} void g() { k<<<1, 1>>>(); }"})
    EXPECT_FALSE(is_refused(text)) << text;
}

TEST(LaunchText, MarksAVariableTemplateByItsName) {
  EXPECT_TRUE(contains(rewritten_text("template <class T>\n__constant__ A<T> x[4];"),
                       "gpulab_template_constant_x=0;"));
  EXPECT_TRUE(contains(rewritten_text("template <int n> static __device__ int x = n;"),
                       "gpulab_template_device_x=0;"));
  for (const char* text :
       {"template <> __device__ int x<3> = 4;", "template <class T> __device__ constexpr T pi = 3;",
        "template <class T> __device__ T f();", "__constant__ A<int> x[4];"})
    EXPECT_FALSE(contains(rewritten_text(text), "gpulab_template")) << text;
}

TEST(LaunchText, CapturesWhatAReferenceOfAKernelRefersTo) {
  EXPECT_TRUE(contains(
      dense(rewritten_text("__global__ void k(int& x, const A<int&> a, float (&y)[3], B const& b = B()) {}")),
      "[=,&x,&b]"));
  EXPECT_TRUE(contains(dense(rewritten_text("template <class... T> __global__ void k(int n, T&... x) {}")),
                       "[=,&x...]"));
  EXPECT_TRUE(contains(dense(rewritten_text("__global__ void k(int x, int* y) { f(&x); }")), "[=]"));
}

TEST(LaunchText, KnowsTheColumnThatAPlaceHadBefore) {
  const std::string text = "void f() { k<<<1, 1>>>(wrong); }";
  const RewrittenText result = rewritten("sum.cu", text);
  const int now = static_cast<int>(result.text().find("wrong")) + 1,
            before = static_cast<int>(text.find("wrong")) + 1;
  EXPECT_EQ(result.original_column(1, now), before);
}

}  // namespace
}  // namespace gpulab::source
