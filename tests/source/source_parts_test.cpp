#include "source/source_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "some_kernel_file.hpp"

namespace gpulab::source {
namespace {

const std::string& file = some_kernel_file;

TEST(FunctionSource, CutsAKernelWithTheCommentAboveIt) {
  EXPECT_EQ(function_source(file, "histogram"), R"(// One atomic for every element.
// All blocks queue.
__global__ void histogram(const int* input, int* output, int size) {
  if (size > 0) { output[0] = '}'; }  // }
  const char* text = "} \" {"; /* } */
}
)");
}

TEST(FunctionSource, TakesTheDefinitionAndNotTheDeclaration) {
  EXPECT_EQ(function_source(file, "later"), R"(/* Two versions. */
template <int n>
__global__ void __launch_bounds__(256) later (int* output) {
  output[n] = 1'000;
}
)");
}

TEST(FunctionSource, LooksIntoNamespaces) {
  EXPECT_EQ(function_source(file, "hidden"), "__global__ void hidden() {}\n");
}

TEST(FunctionSource, IsEmptyForWhatIsNotAKernelOfTheFile) {
  EXPECT_EQ(function_source(file, "twice"), "");
  EXPECT_EQ(function_source(file, "histo"), "");
  EXPECT_EQ(function_source(file, "input"), "");
  EXPECT_EQ(function_source("", "histogram"), "");
}

TEST(KernelNames, AreThoseOfTheDefinitions) {
  EXPECT_EQ(kernel_names("__global__ void later(int);\n__device__ int half(int i) { return i / 2; }\n"
                         "// __global__ void never() {}\n"
                         "extern \"C\" __global__ void __launch_bounds__(256) one(int* a) { half(2); }\n"
                         "namespace n {\n__global__\nvoid two() {}\n}\n"),
            (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(kernel_names("").empty());
}

TEST(FunctionSource, GivesTheRestOfAFileWithABraceMissing) {
  EXPECT_EQ(function_source("__global__ void open() {\n  if (1) {\n}", "open"),
            "__global__ void open() {\n  if (1) {\n}\n");
}

TEST(SourceWithWhatItUses, HasTheFunctionsAndVariablesThatAKernelNeeds) {
  const std::string lesson =
      "// About the file.\n\n__constant__ float filter[4];\n\n// Not used.\nconst int spare = 1;\n\n"
      "const int values[] = {1, 2};\n\n"
      "extern __shared__ float shared[];\n\n"
      "// Half of it.\n__device__ int half(int i) { return i / values[1]; }\n\n"
      "__global__ void other(int* a) { a[0] = half(1); }\n\n"
      "__global__ void wanted(int* a) { a[0] = half(filter[0]); }\n";
  EXPECT_EQ(source_with_what_it_uses(lesson, {"wanted"}),
            "__constant__ float filter[4];\n\nconst int values[] = {1, 2};\n\n"
            "// Half of it.\n__device__ int half(int i) { return i / values[1]; }\n\n"
            "__global__ void wanted(int* a) { a[0] = half(filter[0]); }\n");
  EXPECT_EQ(source_with_what_it_uses(lesson, {"no_such"}), "");
}

TEST(LinesOfParts, CountWithTheCommentAbove) {
  const auto parts = lines_of_parts(file);
  const auto histogram = std::ranges::find(parts, "histogram", &PartLines::name);
  ASSERT_NE(histogram, parts.end());
  EXPECT_TRUE(histogram->is_kernel);
  EXPECT_EQ(histogram->first, 5);
  EXPECT_EQ(histogram->last, 10);
  const auto twice = std::ranges::find(parts, "twice", &PartLines::name);
  ASSERT_NE(twice, parts.end());
  EXPECT_FALSE(twice->is_kernel);
  EXPECT_EQ(twice->first, 12);
  EXPECT_EQ(twice->last, 12);
}

}  // namespace
}  // namespace gpulab::source
