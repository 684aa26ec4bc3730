#include "source/bounds.hpp"

#include "test.hpp"

namespace gpulab::source {
namespace {

TEST(Bounds, AreThoseOfTheTextOrTheLengthOfTheArray) {
  // The numbers at the end: how many elements the access is outside, and the array's length, 0 if unknown.
  EXPECT_EQ(missing_condition("if (i < n)\nout[i] = in[i + 1] - in[i];", 2, /*is_before=*/false, 1, 0),
            "i + 1 < n");
  EXPECT_EQ(missing_condition("if (i >= n) return;\nout[i] = in[i + 2];", 2, /*is_before=*/false, 2, 0),
            "i + 2 < n");
  EXPECT_EQ(missing_condition("x = s[t + 1];", 1, /*is_before=*/false, 1, 64), "t + 1 < 64");
  EXPECT_EQ(missing_condition("x = s[t - 1];", 1, /*is_before=*/true, 1, 0), "t >= 1");
  EXPECT_EQ(missing_condition("x = s[threadIdx.x - 2];", 1, /*is_before=*/true, 2, 0), "threadIdx.x >= 2");
  EXPECT_EQ(missing_condition("x = s[t - 1];", 1, /*is_before=*/true, 2, 0), "") << "t is outside, too";
  EXPECT_EQ(missing_condition("x = s[t + 1] + s[u + 1];", 1, /*is_before=*/false, 1, 64), "");
  EXPECT_EQ(missing_condition("x = s[t + 1];", 1, /*is_before=*/false, 1, 0), "") << "no bound";
}

TEST(Bounds, OfDynamicMemoryAreBytes) {
  const auto corrected = [](const std::string& launch) {
    return launch_in_bytes("extern __shared__ float s[];\n" + launch, 2, "s");
  };
  EXPECT_EQ(corrected("k<<<1, 256, 256>>>(x);"), "<<<1, 256, 256 * sizeof(float)>>>");
  EXPECT_EQ(corrected("int t = 64; k<<<f(1, 2), t, t, stream>>>(x);"),
            "<<<f(1, 2), t, t * sizeof(float), stream>>>");
  EXPECT_EQ(corrected("k<<<1, 256, 256 * sizeof(float)>>>(x);"), "");
  EXPECT_EQ(corrected("int bytes = t * 4; k<<<1, 256, bytes>>>(x);"), "");
  EXPECT_EQ(corrected("k<<<1, 256>>>(x);"), "");
  EXPECT_EQ(launch_in_bytes("__shared__ float s[64];\nk<<<1, 256, 256>>>(x);", 2, "s"), "");
}

// Returns the wrong and the right step in a statement with int* e, float* f and char* c: "WRONG | RIGHT".
std::string step(const std::string& statement) {
  const auto found =
      scaled_step("__global__ void k(int *e, float* f, char* c, int n) {\n" + statement + "\n}\n", {2, 2});
  return found ? found->wrong + " | " + found->right : "";
}

TEST(PointerSteps, InBytesAreTooLong) {
  EXPECT_EQ(step("int* second = e + n * sizeof(int);"), "e + n * sizeof(int) | e + n");
  EXPECT_EQ(step("*(f + sizeof(float) * n) = 1;"), "f + sizeof(float) * n | f + n");
  EXPECT_EQ(step("e[n * sizeof *e] = 1;"), "");
  EXPECT_EQ(step("e[n * sizeof(int)] = 1;"), "e[n * sizeof(int)] | e[n]");
  EXPECT_EQ(step("int* p = (int*)c + n * sizeof(float);"), "(int*)c + n * sizeof(float) | (int*)c + n");
  EXPECT_EQ(step("copy(e + (n - 1) * sizeof(int), n);"), "e + (n - 1) * sizeof(int) | e + (n - 1)");
}

TEST(PointerSteps, InBytesAreRightForBytes) {
  EXPECT_EQ(step("c[n * sizeof(int)] = 1;"), "");
  EXPECT_EQ(step("int* p = (int*)((char*)e + n * sizeof(int));"), "");
  EXPECT_EQ(step("n = n + n * sizeof(int);"), "");
}

}  // namespace
}  // namespace gpulab::source
