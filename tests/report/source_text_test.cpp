#include "report/source_text.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace {

const std::string file = R"(// What the file is about.

#define UNUSED {
const int bins = 256;  // not the kernel's comment
// One atomic for every element.
// All blocks queue.
__global__ void histogram(const int* input, int* output, int size) {
  if (size > 0) { output[0] = '}'; }  // }
  const char* text = "} \" {"; /* } */
}

__device__ int twice(int x) { return histogram_bins(2 * x); }

__global__ void later(int* output);

/* Two versions. */
template <int n>
__global__ void __launch_bounds__(256) later (int* output) {
  output[n] = 1'000;
}
namespace inner {
__global__ void hidden() {}
}  // namespace inner
)";

TEST(SourceText, IsTheSourceItselfWithoutColour) {
  EXPECT_EQ(source_text(file, {.colour = false}), file);
}

TEST(SourceText, ColoursWordsOfCudaAndOfTheLanguage) {
  EXPECT_EQ(source_text("__global__ void f();", {.colour = true}),
            "\x1b[36m__global__\x1b[0m \x1b[34mvoid\x1b[0m f();");
  EXPECT_EQ(source_text("threadIdx.x + 2.5e-3f", {.colour = true}),
            "\x1b[36mthreadIdx\x1b[0m.x + \x1b[35m2.5e-3f\x1b[0m");
}

TEST(SourceText, ColoursNothingInsideCommentsAndStrings) {
  EXPECT_EQ(source_text("// if 1", {.colour = true}), "\x1b[32m// if 1\x1b[0m");
  EXPECT_EQ(source_text("\"if 1\"", {.colour = true}), "\x1b[33m\"if 1\"\x1b[0m");
}

}  // namespace
}  // namespace gpulab
