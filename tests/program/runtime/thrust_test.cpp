#include "program/names.hpp"
#include "program/runtime/cases_fixture.hpp"
#include "program/toolkit_headers.hpp"
#include "test.hpp"

namespace gpulab::program::runtime {
namespace {

class Thrust : public CasesOfOneProgram {
 protected:
  Thrust() : CasesOfOneProgram("thrust.cu") {}

  void SetUp() override {
    ProgramTest::SetUp();
    if (!ToolkitHeaders({"thrust/sort.h"}, /*may_use=*/true).offers("Thrust"))
      GTEST_SKIP() << "Thrust's headers are not installed";
  }
};

TEST_F(Thrust, RunsWithTheHeadersOfTheToolkit) {
  expect_outputs({
      {"sort", "0 2 1998\n"},
      {"monte_carlo", "pi\n"},
      {"saxpy", "10 16\n"},
      {"histogram", "0:5 1:6 2:6 3:6 4:6 5:6 6:5 \n"},
      {"device_pointers", "499500 999000 999000\n"},
      {"keys_in_stream", "2,20,22 4,10,14 6,0,6 \n"},
      {"lambdas", "10 27\n"},
      {"managed", "4950 99\n"},
      {"global", "42\n"},
      {"universal", "5 32\n"},
  });
}

TEST_F(Thrust, IsWatchedInKernelsAndInItsAlgorithms) {
  expect_finding("past_the_end", "out-of-bounds", "counts", "allocated by thrust::device_vector here");
  expect_finding("past_the_end", "out-of-bounds", "too small", "kernel count_up was launched here");
  expect_finding("copied_past_the_end", "out-of-bounds", "copies",
                 "Thrust writes past the end of the 200 bytes");
  expect_finding("computed_past_the_end", "out-of-bounds", "adds",
                 "Thrust writes past the end of the 2 000 bytes");
  expect_finding("unwritten_in_kernel", "uninitialised", "doubles", "thrust::device_malloc");
  expect_finding("unwritten_in_thrust", "uninitialised", "reduces",
                 "Thrust reads memory that nobody has written");
  expect_finding("universal_too_early", "race-host", "reads", "cudaDeviceSynchronize() before line");
  expect_finding("raw_on_host", "device-pointer-on-host", "follows",
                 "allocated by thrust::device_vector here");
}

TEST(ThrustWithoutHeaders, IsRefusedWithWhatToInstall) {
  const std::vector<source::SourceFile> sources{
      {.name = "x.cu", .code = source::Code("int n = thrust::reduce(a, b);\n")}};
  EXPECT_TRUE(contains(missing_in(sources, ToolkitHeaders({}, /*may_use=*/true)).sentence,
                       "apt-get install libthrust-dev"));
  EXPECT_FALSE(contains(missing_in(sources, ToolkitHeaders({}, /*may_use=*/false)).sentence, "install"));
  if (const ToolkitHeaders toolkit({"thrust/sort.h"}, /*may_use=*/true); toolkit.offers("Thrust")) {
    EXPECT_EQ(missing_in(sources, toolkit).sentence, "");
  }
}

TEST_F(Thrust, OffersLibcuWithoutThrust) {
  if (!ToolkitHeaders({"cuda/std/array"}, /*may_use=*/true).offers("libcu++ (cuda::std::array)"))
    GTEST_SKIP() << "libcu++'s headers are not installed";
  write("polynomial.cu",
        "#include <cuda/std/array>\n#include <cuda/std/tuple>\n#include <cstdio>\n"
        "__global__ void evaluate(cuda::std::array<float, 3> coefficients, float* y) {\n"
        "  float sum = 0;\n  for (const float c : coefficients) sum = sum * 2 + c;\n"
        "  y[0] = cuda::std::get<1>(cuda::std::make_tuple(0, sum));\n}\n"
        "int main() {\n  float* y;\n  cudaMallocManaged(&y, 4);\n"
        "  evaluate<<<1, 1>>>({1, 2, 3}, y);\n  cudaDeviceSynchronize();\n  printf(\"%g\\n\", y[0]);\n"
        "  cudaFree(y);\n}\n");
  const cli::ProgramRun ran = run({"run", "polynomial.cu"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "11\n");
}

}  // namespace
}  // namespace gpulab::program::runtime
