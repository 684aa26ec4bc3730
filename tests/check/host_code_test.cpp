#include <algorithm>

#include "base/text.hpp"
#include "check/checks.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

constexpr const char* kernel = "__global__ void f(float* A, int n) {\n  A[n] = twice(n);\n}\n";
constexpr const char* helper = "__device__ int twice(int n) { return 2 * n; }\n";

// Expects that only the two functions above remain between blanks; returns the note on the code around them.
std::string note_on(const std::string& before, const std::string& after) {
  const std::string text = before + helper + kernel + after;
  std::vector<std::string> notes;
  const std::string rest = without_host_code(text, notes);
  EXPECT_EQ(rest.size(), text.size());
  EXPECT_EQ(std::ranges::count(rest, '\n'), std::ranges::count(text, '\n'));
  EXPECT_EQ(trimmed(rest), trimmed(std::string(helper) + kernel));
  return notes.empty() ? "" : notes.front();
}

TEST(WithoutHostCode, LeavesOutMainAndWhatOnlyItUses) {
  EXPECT_TRUE(
      contains(note_on("static int calls = 0;\nfloat *a, *b;\nvoid fill(float* x) { x[0] = calls; }\n",
                       "int main() {\n  fill(a);\n  f<<<1, 1>>>(a, 1);\n}\n"),
               "line 1 and 2 and 3 and 8 to 11,"));
  EXPECT_TRUE(contains(note_on("", "void run(float* a) { f<<<1, 1>>>(a, 1); }\n"), "line 5,"));
  EXPECT_TRUE(contains(note_on("#include <iostream>\n", ""), "line 1,"));
  EXPECT_EQ(note_on("", ""), "");
}

TEST(WithoutHostCode, KeepsWhatAMacroOrAKernelBesideMainUses) {
  const std::string kernels =
      "using namespace std;\nint limit = 3;\n#define LIMIT limit\nint half(int n) { return n / 2; }\n"
      "__global__ void f(int* A) { A[0] = half(LIMIT); }\n";
  std::vector<std::string> notes;
  EXPECT_EQ(trimmed(without_host_code(kernels + "int main() { return half(1); }\n", notes)),
            trimmed(kernels));
  EXPECT_EQ(notes.size(), 1u);
}

TEST(WithoutHostCode, KeepsWhatAKernelUsesAndWhatIsNoPartOfAProgram) {
  for (const std::string text :
       {"int size = 3;\n__global__ void f(int* A) { A[0] = size; }\n", "void f(int* A) { A[0] = 1; }\n",
        "#include <cmath>\n#define N 3\nstruct Pair { int a, b; };\nconst int M = 4;\n"
        "template <class T> __global__ void f(T* A) { A[0] = N; }\n",
        "int twice(int n) { return 2 * n; }\n__global__ void f(int* A) { A[0] = twice(1); }\n",
        "__global__ void f(int* A) {\n  A[0] = 1;\n}}\n", "__global__ void f(int* A) {\n  A[0] = (1;\n"}) {
    std::vector<std::string> notes;
    EXPECT_EQ(without_host_code(text, notes), text);
    EXPECT_TRUE(notes.empty()) << testing::PrintToString(notes);
  }
}

}  // namespace
}  // namespace gpulab::check
