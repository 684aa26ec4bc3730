#include "source/pointer_steps.hpp"

#include "test.hpp"

namespace gpulab::source {
namespace {

// Returns what is wrong and what is right in a statement with an int* e and a char* c.
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
