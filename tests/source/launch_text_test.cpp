#include "source/launch_text.hpp"

#include "base/error.hpp"
#include "lesson/finding.hpp"
#include "test.hpp"

namespace gpulab::source {
namespace {

std::string rewritten_text(const std::string& text) {
  const std::string result = rewritten("sum.cu", text).text();
  EXPECT_EQ(std::ranges::count(result, '\n'), std::ranges::count(text, '\n')) << result;
  return result;
}

// Removes blanks, which take the place of <<<>>>.
std::string dense(std::string text) {
  std::erase(text, ' ');
  return text;
}

TEST(LaunchText, MakesALaunchACallThatKeepsItsLines) {
  EXPECT_EQ(dense(rewritten_text("k<<<2, 64>>>(a);")), "(gpulab_configure(2,64),k(a));");
  EXPECT_EQ(dense(rewritten_text("k << <2, 64>> >(a);")), "(gpulab_configure(2,64),k(a));");
  EXPECT_EQ(dense(rewritten_text("k<A<B<int>> > << < 2, 64 >> > (a);")),
            "(gpulab_configure(2,64),k<A<B<int>>>(a));");
  EXPECT_EQ(dense(rewritten_text("k<int><<<dim3(2, 3),\n 64>>>(a,\n b);")),
            "(gpulab_configure(dim3(2,3),64),k<int>\n(a,\nb));");
  EXPECT_TRUE(contains(dense(rewritten_text("for (;;) table[i].f<<<1, 1>>>();")),
                       "for(;;)(gpulab_configure(1,1),table[i].f()"));
  EXPECT_TRUE(
      contains(dense(rewritten_text("if (x) (*f)<<<1, 1>>>();")), "if(x)(gpulab_configure(1,1),(*f)()"));
}

TEST(LaunchText, RefusesAPlainFunctionForAKernelUnlessItMayBeOneAfterAll) {
  const std::string plain = "void k(int* p) { *p = 1; }\n", launch = "int main() { k<<<1, 1>>>(0); }\n";
  EXPECT_THROW(rewritten_text(plain + launch), CompileError);
  EXPECT_THROW(rewritten_text("#include <cstdio>\nstatic __device__ " + plain + launch), CompileError);
  for (const char* before :
       {"__global__ void k(int*);\n", "#include \"k.cuh\"\n", "#define KERNEL __global__\nKERNEL ",
        "template <class T>\n", "#ifdef GPU\n__global__\n#endif\n", "#define k k_on_device\n",
        "void (*pointer)(int*) = k;\n", "EXPORTED "})
    EXPECT_NO_THROW(rewritten_text(before + plain + launch)) << before;
}

TEST(LaunchText, KeepsTheTypeOfAKernelThatIsCast) {
  EXPECT_EQ(dense(rewritten_text("cudaLaunchKernel((const void*)&k, g, b, a, 0, 0);")),
            "cudaLaunchKernel(gpulab_kernel->*&k,g,b,a,0,0);");
  EXPECT_EQ(dense(rewritten_text("cudaLaunchKernel(reinterpret_cast<void*>(k), g, b, a, 0, 0);")),
            "cudaLaunchKernel(gpulab_kernel->*(k),g,b,a,0,0);");
  EXPECT_EQ(dense(rewritten_text("cudaLaunchKernel(k, g, b, a);")), "cudaLaunchKernel(k,g,b,a);");
  EXPECT_EQ(dense(rewritten_text("params.func = (void*)f;")), "params.func=gpulab_kernel->*f;");
  EXPECT_TRUE(
      contains(dense(rewritten_text("__global__ void k(int); void f() { add((void*)&n::k<1>, (void*)x); }")),
               "add(gpulab_kernel->*&n::k<1>,(void*)x);"));
}

TEST(LaunchText, PutsAlignmentBeforeTheSpecifiers) {
  EXPECT_EQ(dense(rewritten_text("extern __shared__ alignas(16) float a[];")),
            "alignas(16)extern__shared__floata[];");
  EXPECT_EQ(dense(rewritten_text("struct alignas(8) Pair { int a, b; };")), "structalignas(8)Pair{inta,b;};");
}

TEST(LaunchText, LetsAMacroHoldTheConfiguration) {
  const std::string result = dense(rewritten_text(
      "#define ON(n) <<<(n) / 64, 64>>>\n#define ONE <<<1, 1>>>\nvoid f() { k ON(n) (a); k ONE(a); }"));
  EXPECT_TRUE(contains(result, "#defineON(n)(n)/64,64\n"));
  EXPECT_TRUE(contains(result, "(gpulab_configure(ON(n)),k(a));"));
  EXPECT_TRUE(contains(result, "(gpulab_configure(ONE),k(a));"));
}

TEST(LaunchText, MarksAManagedVariableOnce) {
  for (const char* text : {"__device__ __managed__ int hits = 0;", "__managed__ __device__ int hits;",
                           "__managed__ float a[3];"}) {
    const std::string result = rewritten_text(text);
    EXPECT_TRUE(contains(result, "GPULAB_MANAGED_VARIABLE"));
    EXPECT_FALSE(contains(result, "GPULAB_DEVICE_VARIABLE")) << result;
  }
}

TEST(LaunchText, RefusesALaunchThatDoesNotEnd) {
  for (const char* text : {"void f() { k<<<1, 1; }", "void f() { k<<<1, 1>>>(a; }", "<<<1, 1>>>(a);"})
    EXPECT_THROW(rewritten("sum.cu", text), CompileError) << text;
}

TEST(LaunchText, LetsTheCompilerRefuseAWaitForLaunchesInAKernel) {
  const auto is_refused = [](const std::string& text) {
    return contains(rewritten_text(text), "is for the host and not for a kernel");
  };
  for (const char* mark :
       {"__global__ void", "__device__ int", "template <class T>\n__device__ __forceinline__ void"})
    EXPECT_TRUE(is_refused(std::string(mark) + " f(int* x) {\n  if (*x) cudaDeviceSynchronize();\n}"))
        << mark;
  for (const char* text : {"__host__ __device__ void f() { cudaDeviceSynchronize(); }",
                           "#define BOTH __host__ __device__\nBOTH void f() { cudaDeviceSynchronize(); }",
                           "__device__ int x = 3; void f() { cudaDeviceSynchronize(); }",
                           "__device__ void g(); void f() { cudaDeviceSynchronize(); }",
                           "__global__ void f() {} void g() { cudaDeviceSynchronize(); }"})
    EXPECT_FALSE(is_refused(text)) << text;
}

TEST(LaunchText, LetsTheCompilerRefuseACopyByAKernel) {
  EXPECT_TRUE(contains(rewritten_text("__global__ void f(int* x) { cudaMemcpyAsync(x, x + 1, 4); }"),
                       "does not have cudaMemcpyAsync() in kernels"));
  EXPECT_FALSE(contains(rewritten_text("void f(int* x) { cudaMemcpyAsync(x, x + 1, 4); }"), "in kernels"));
}

TEST(LaunchText, MakesACallOfALaunchInAKernel) {
  EXPECT_TRUE(contains(dense(rewritten_text("__device__ void f(int* x) { k<<<1, 2>>>(x); }")),
                       "(gpulab_configure(1,2),k(x));"));
}

TEST(LaunchText, KeepsTheTypeOfAKernelThatAGraphIsGiven) {
  EXPECT_TRUE(contains(dense(rewritten_text("void f() { p.func = (void *)k<int>; }")),
                       "p.func=gpulab_kernel->*k<int>;"));
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
      "[=,&x,&y,&b]"));
  EXPECT_TRUE(contains(dense(rewritten_text("template <class... T> __global__ void k(int n, T&... x) {}")),
                       "[=,&x...]"));
  EXPECT_TRUE(contains(dense(rewritten_text("__global__ void k(int x, int* y) { f(&x); }")), "[=]"));
}

TEST(LaunchText, MakesVariablesOfTheParametersThatAKernelUses) {
  const std::string text = rewritten_text(
      "__global__ void k(int n, const float* __restrict__ a, float out[], S<int> s = S<int>(), int& r, int, const T,"
      " unsigned int, float (*f)(float), int unused, T... rest) { out[n] = f((int)a[s.x]) + T(r) + g(rest...); }");
  EXPECT_TRUE(contains(text,
                       "{GPULAB_GIVEN(n)GPULAB_GIVEN(a)GPULAB_GIVEN(out)GPULAB_GIVEN(s)"
                       "{GPULAB_OWN(n)GPULAB_OWN(a)GPULAB_OWN(out)GPULAB_OWN(s) out[n]"));
}

TEST(LaunchText, StatesBoundsAsTheTextHasThem) {
  EXPECT_TRUE(contains(rewritten_text("__global__ void __launch_bounds__(T::threads, f<2>()) k() {}"),
                       "GPULAB_STATE_BOUNDS(T::threads, f<2>())gpulab_enter("));
}

TEST(LaunchText, ReturnsZeroFromMainWhereItReturnsNothing) {
  EXPECT_EQ(rewritten_text("int main() {\n  if (bad) return;\n  return 1;\n}"),
            "int main() {\n  if (bad) return 0;\n  return 1;\n}");
  for (const char* text : {"int main() { auto f = [&](int i) { return; }; }", "void f() { return; }",
                           "int main() { struct S { void f() { return; } }; }", "int main();"})
    EXPECT_EQ(rewritten_text(text), text);
}

TEST(LaunchText, FindsTheColumnInTheOriginalText) {
  const std::string text = "void f() { k<<<1, 1>>>(wrong); }";
  const RewrittenText result = rewritten("sum.cu", text);
  const int column = static_cast<int>(result.text().find("wrong")) + 1,
            original = static_cast<int>(text.find("wrong")) + 1;
  EXPECT_EQ(result.original_column(1, column), original);
}

// Returns why the files are refused, or an empty string. The first file is the program.
std::string refusal(const std::string& text, const std::string& header = "") {
  std::vector<SourceFile> sources{{.name = "sum.cu", .path = "sum.cu", .code = text, .is_unit = true}};
  if (!header.empty()) sources.push_back({.name = "part.cuh", .path = "part.cuh", .code = header});
  return message_thrown<CompileError>([&] { check_sides(sources); });
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
      {"void f(int* x, int a) {\n  run([&] __device__(int i) { x[i] = a; });\n}",
       "sum.cu, line 2: a __device__ lambda captures by reference"},
      {"__global__ void k(const int* a,\n                  int& sum) { sum = a[0]; }",
       "sum.cu, line 2: the kernel k has a parameter by reference"},
      {"template <int n = 4>\n__host__ __device__ int f() { return n; }\nint g() { return 1; }\n__global__ "
       "void k(int* a) { *a = f() + g(); }",
       "sum.cu, line 3: g() is a function of the host"},
      {"template <class T, int n>\nT twice(T x) { return n * x; }\n__global__ void k(float* a) { *a = "
       "twice<float, 2>(*a); }",
       "sum.cu, line 2: twice() is a function of the host, and the kernel k calls it in line 3"},
      {"__global__ void k(float* a) {\n  std::vector<float> v(4, 2.0f);\n}",
       "sum.cu, line 2: std::vector is of the host's C++ library, and the kernel k uses it"},
      {"__device__ void f(float* a) {\n  std::sort(a, a + 4);\n}",
       "sum.cu, line 2: std::sort is of the host's C++ library, and the __device__ function f uses it"},
      {"using namespace std;\n__global__ void k() {\n  cout << 1;\n}",
       "sum.cu, line 3: std::cout is of the host's C++ library"},
      {"__global__ void k(int* a) {\n  if (!a) throw 1;\n}", "sum.cu, line 2: the kernel k has throw"},
      {"__global__ void k(int* a) {\n  cudaMemcpy(a, a + 1, 4, cudaMemcpyDeviceToDevice);\n}",
       "sum.cu, line 2: cudaMemcpy() is a function of the host's library"},
      {"extern \"C\" __device__ char* getenv(const char*);\n__global__ void k() { getenv(\"x\"); }",
       "sum.cu, line 2: getenv() is a function of the host's library"},
      {"int main() {\n  return threadIdx.x;\n}", "sum.cu, line 2: main() of the host uses threadIdx"}};
  for (const auto& [text, begins_with] : wrong)
    EXPECT_TRUE(refusal(text).starts_with(begins_with)) << text << "\n" << refusal(text);
}

TEST(Sides, LeaveAloneWhatIsRightOrNotUnderstood) {
  const char* const right[] = {
      "__managed__ int x;\n__global__ void k(int& y) { ++y; }\nint main() { k<<<1, 1>>>(x); }",
      "__device__ float f(float x) { return x; }\n__global__ void k(float* a) { *a = f(*a); }",
      "int x = ;\n__global__ void k(int* a) { *a = x; }",
      "#define BOTH __host__ __device__\nBOTH int f() { return 1; }\n__global__ void k(int* a) { *a = f(); "
      "}\nint main() { return f(); }",
      "constexpr int f(int n) { return n; }\n__global__ void k(int* a) { *a = f(3); }",
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
      "template <class T> __device__ T g(T);\n__global__ void k(float* a) { *a = g(*a); }\ntemplate <class T> "
      "T g(T x) { return x; }",
      "#define hd __host__ __device__\ntemplate <class T, int n = sizeof(T)> hd T g(T x) { return x; }\n"
      "__global__ void k(float* a) { *a = g(*a) + sizeof(*a); }",
      "template <class T> constexpr T g(T x) { return x; }\n__global__ void k(float* a) { *a = g(*a); }",
      "__global__ void k(float* a) { std::vector<float>::size_type n = sizeof(std::vector<float>); *a = n; }",
      "using namespace std;\n__device__ void sort(float* a);\n__global__ void k(float* a) { sort(a); }",
      "__device__ float (*op)(float);\nint main() { return float(1); }",
      "#define LAMBDA __device__\nint main() { each([=] LAMBDA() { p[threadIdx.x] = 1; }); }",
      "__global__ void k(float* a) { cuda::std::fill(a, a + 4, 2.0f); }",
      "using namespace std;\n__global__ void k(File f) { f.cin << 1; }",
      "__device__ float round(float, int);\nint main() { return round(2.5); }",
      "__device__ void f(float* a) { *a = 1; }\nint main() { f<<<1, 1>>>(nullptr); }",
      "int main() { dim3 blockDim(4); return blockDim.x; }",
      "int main() { auto f = [] __device__ () { return threadIdx.x; }; (void)f; }",
      "template <class T> void check(T x) { if (x) throw 1; }\nint main() { check(0); }",
      "} } ( [ {"};
  for (const char* text : right) EXPECT_EQ(refusal(text), "") << text;
}

TEST(Sides, LeaveTheLibraryAloneIfItsConstexprFunctionsMayBeCalled) {
  const std::vector<SourceFile> sources{
      {.name = "sum.cu", .path = "sum.cu", .code = "__global__ void k(int* a) { std::sort(a, a + 2); }"}};
  EXPECT_THROW(check_sides(sources), CompileError);
  EXPECT_NO_THROW(check_sides(sources, /*may_call_constexpr=*/true));
}

TEST(Sides, LeaveAloneAFunctionOfAnotherFileByTheNameThatAKernelCalls) {
  const auto file = [](const char* name, const char* text) {
    return SourceFile{.name = name, .path = name, .code = std::string(text), .is_unit = true};
  };
  const std::vector<SourceFile> sources{
      file("option.cu",
           "#ifdef A\n__device__ int pay() { return 1; }\n#else\n__device__ int pay() { return 2; }\n#endif\n"
           "__global__ void k(int* a) { *a = pay() + umin(1, 2); }"),
      file("host.cpp", "static int pay() { return 3; }\nint umin(int a, int b) { return a; }")};
  EXPECT_NO_THROW(check_sides(sources));
}

TEST(Sides, NameTheHeader) {
  const std::string kernel = "#include \"part.cuh\"\n__global__ void k(int* a) { *a = limit(); }";
  EXPECT_TRUE(
      refusal(kernel, "#pragma once\nint limit() { return 1; }").starts_with("part.cuh, line 2: limit()"));
}

}  // namespace
}  // namespace gpulab::source
