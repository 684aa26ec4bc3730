#include "cli/program_fixture.hpp"
#include "test.hpp"

namespace gpulab::program {
namespace {

using WarpSizeTest = cli::ProgramTest;

// A program that prints the sum of 128 threads' numbers, a ballot of the odd ones, and the device's warp
// size.
constexpr const char* warp_functions = R"(#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
#include <cstdio>
__global__ void use(int* sum, unsigned long long* odd, int* lanes) {
  int mine = threadIdx.x;
  for (int offset = warpSize / 2; offset > 0; offset /= 2) mine += __shfl_down(mine, offset);
  if (threadIdx.x % warpSize == 0) atomicAdd(sum, mine);
  const unsigned long long set = __ballot(threadIdx.x % 2);
  const auto group = cooperative_groups::coalesced_threads();
  if (threadIdx.x == 0) *odd = set, *lanes = group.size();
}
int main() {
  int *sum, *lanes, attribute;
  unsigned long long* odd;
  hipMallocManaged(&sum, 4), hipMallocManaged(&lanes, 4), hipMallocManaged(&odd, 8);
  *sum = 0;
  use<<<1, 128>>>(sum, odd, lanes);
  hipDeviceSynchronize();
  hipDeviceProp_t properties;
  hipGetDeviceProperties(&properties, 0);
  hipDeviceGetAttribute(&attribute, hipDeviceAttributeWarpSize, 0);
  printf("%d %llx %d %d %d %d\n", *sum, *odd, *lanes, properties.warpSize, attribute, __AMDGCN_WAVEFRONT_SIZE);
  hipFree(sum), hipFree(lanes), hipFree(odd);
}
)";

TEST_F(WarpSizeTest, Is64InHipUnlessToldOtherwise) {
  write("warp.hip", warp_functions);
  const cli::ProgramRun wide = run({"run", "warp.hip"});
  EXPECT_EQ(wide.out, "8128 aaaaaaaaaaaaaaaa 64 64 64 64\n") << wide.err;
  EXPECT_TRUE(contains(wide.err, "no defect found"));
  EXPECT_TRUE(contains(wide.err, "in warps of 64 lanes"));
  const cli::ProgramRun narrow = run({"run", "warp.hip", "--warp-size", "32"});
  EXPECT_EQ(narrow.out, "8128 aaaaaaaa 32 32 32 32\n") << narrow.err;
  EXPECT_TRUE(contains(narrow.err, "in warps of 32 lanes"));
  EXPECT_TRUE(contains(run({"run", "warp.hip", "--format", "json"}).err, "\"warp_size\": 64"));
}

TEST_F(WarpSizeTest, Is32InCudaUnlessToldOtherwise) {
  write("sum.cu", R"(#include <cstdio>
__global__ void print() {
  const auto set = __ballot_sync(~0, threadIdx.x > 0);
  if (threadIdx.x == 0) printf("%d %d\n", warpSize, (int)sizeof set);
}
int main() { print<<<1, 64>>>(); return cudaDeviceSynchronize(); }
)");
  EXPECT_EQ(run({"run", "sum.cu"}).out, "32 4\n");
  EXPECT_EQ(run({"run", "sum.cu", "--warp-size", "64"}).out, "64 8\n");
}

TEST_F(WarpSizeTest, IsReportedWhereAMaskOf32BitsLeavesOutHalfOfTheLanes) {
  write("mask.hip", R"(#include <hip/hip_runtime.h>
__global__ void add(int* sums) {
  int mine = threadIdx.x;
  mine += __shfl_down_sync(0xffffffff, mine, 16);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
}
int main() {
  int* sums;
  hipMalloc(&sums, 4 * sizeof(int));
  add<<<1, 64>>>(sums);
  hipDeviceSynchronize();
  hipFree(sums);
}
)");
  const std::string report = run({"run", "mask.hip"}).err;
  EXPECT_TRUE(contains(report, "lanes 32 to 63 are not in the mask"));
  EXPECT_TRUE(contains(report, "mask.hip:5: if (threadIdx.x % 32"));
  EXPECT_TRUE(contains(report, "assumes warps of 32 lanes"));
  EXPECT_FALSE(contains(run({"run", "mask.hip", "--warp-size", "32"}).err, "DEFECT"));
}

// Returns a program whose kernel computes `set` by that line.
std::string program_with_ballot(const std::string& line) {
  return "#include <hip/hip_runtime.h>\n__global__ void count(int* to) {\n  const bool is_odd = threadIdx.x % 2;\n" +
         line + "\n  if (threadIdx.x == 0) *to = set;\n}\n" +
         "int main() {\n  int* to;\n  hipMalloc(&to, 4);\n  count<<<1, 64>>>(to);\n"
         "  hipDeviceSynchronize();\n  hipFree(to);\n}\n";
}

TEST_F(WarpSizeTest, IsReportedWhereALineKeepsHalfOfAMask) {
  for (const char* line :
       {"unsigned set = __ballot(is_odd);", "const int set = __ballot_sync(~0ull, is_odd), b = 0;",
        "const int set = __popc(__ballot(is_odd));"}) {
    write("cut.hip", program_with_ballot(line));
    const cli::ProgramRun result = run({"run", "cut.hip"});
    EXPECT_TRUE(contains(result.err, "note  wrong-mask")) << line;
    EXPECT_TRUE(contains(result.err, "lanes 32 to 63 are cut off")) << line;
    EXPECT_EQ(result.exit_code, 0) << line;
    EXPECT_FALSE(contains(run({"run", "cut.hip", "--warp-size", "32"}).err, "wrong-mask")) << line;
  }
}

TEST_F(WarpSizeTest, IsNotReportedWhereNothingIsCutOff) {
  for (const char* line :
       {"unsigned long long set = __ballot(is_odd);", "const long set = __ballot(is_odd);",
        "const int set = __popcll(__ballot(is_odd));", "const unsigned set = __ballot(is_odd) >> 32;",
        "#if __AMDGCN_WAVEFRONT_SIZE == 32\nunsigned set = __ballot(is_odd);\n#else\nint set = 0;\n#endif"}) {
    write("whole.hip", program_with_ballot(line));
    const cli::ProgramRun result = run({"run", "whole.hip"});
    EXPECT_FALSE(contains(result.err, "DEFECT")) << line;
    EXPECT_FALSE(contains(result.err, "wrong-mask")) << line << result.err;
  }
}

TEST_F(WarpSizeTest, IsTheUnitInWhichInspectCounts) {
  const std::string usual = run({"inspect", "divergence", "by-warp", "--size", "4096"}).out;
  const std::string wide =
      run({"inspect", "divergence", "by-warp", "--size", "4096", "--warp-size", "64"}).out;
  EXPECT_TRUE(contains(usual, "active lanes of 32"));
  EXPECT_TRUE(contains(wide, "active lanes of 64"));
}

TEST_F(WarpSizeTest, HoldsForALessonAndForACheckOnTheSimulator) {
  const std::string lesson = run({"divergence", "--size", "4096", "--warp-size", "64"}).out;
  EXPECT_TRUE(contains(lesson, "simulated on the CPU in warps of 64 lanes"));
  write("vector_multiply.cu",
        "__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {\n"
        "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (item < size && warpSize == 64) C[item] = A[item] * B[item];\n}\n");
  EXPECT_FALSE(contains(run({"check", "vector_multiply.cu"}).out, "PASSED"));
  const std::string checked = run({"check", "vector_multiply.cu", "--warp-size", "64"}).out;
  EXPECT_TRUE(contains(checked, "PASSED"));
}

}  // namespace
}  // namespace gpulab::program
