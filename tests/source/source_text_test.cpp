#include "source/source_parts.hpp"

#include <gtest/gtest.h>

#include "some_kernel_file.hpp"

namespace gpulab::source {
namespace {

const std::string& kernel_file = some_kernel_file;

TEST(SourceText, IsTheSourceItselfWithoutColour) {
  EXPECT_EQ(source_text(kernel_file, {.colour = false}), kernel_file);
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
}  // namespace gpulab::source
