#include "cli/program_fixture.hpp"
#include "test.hpp"

namespace gpulab::program::runtime {
namespace {

class TensorCores : public cli::ProgramTest {
 protected:
  TensorCores() { write("products.cu", source_text("tests/program/runtime/wmma.cu")); }
};

TEST_F(TensorCores, MultiplyMatricesOfEachTypeAndShape) {
  const cli::ProgramRun ran = run({"run", "products.cu"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.err, "no defect found"));
  EXPECT_EQ(ran.out,
            "half 16 x 16 x 16: 0 wrong, d[1] = 36\n"
            "half 32 x 8 x 16: 0 wrong, d[1] = 24\n"
            "half, sums of half 8 x 32 x 16: 0 wrong, d[1] = 32\n"
            "bfloat16 16 x 16 x 16: 0 wrong, d[1] = 36\n"
            "tf32 16 x 16 x 8: 0 wrong, d[1] = 6\n"
            "int8 16 x 16 x 16: 0 wrong, d[1] = 36\n"
            "double 8 x 8 x 4: 0 wrong, d[1] = 4\n"
            "tiled: 0 wrong\n");
}

// Each lane of store_matrix_sync writes elements that other lanes read.
TEST_F(TensorCores, NeedABarrierBetweenAStoreAndAReadByOtherLanes) {
  const cli::ProgramRun ran = run({"run", "-D", "NO_SYNC", "products.cu"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.err, "race"));
  EXPECT_TRUE(contains(ran.err, "products.cu:39: wmma::store_matrix_sync"));
}

TEST_F(TensorCores, NeedAllLanesOfAWarp) {
  for (const std::string other_half : {"  else\n    __syncthreads();\n", ""}) {
    write("half_a_warp.cu",
          "#include <mma.h>\nusing namespace nvcuda;\n__global__ void zero(float* d) {\n"
          "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;\n  wmma::fill_fragment(sums, 0.0f);\n"
          "  if (threadIdx.x < 16)\n    wmma::store_matrix_sync(d, sums, 16, wmma::mem_row_major);\n" +
              other_half +
              "}\nint main() {\n  float* d;\n  cudaMalloc(&d, 1024);\n  zero<<<1, 32>>>(d);\n"
              "  cudaDeviceSynchronize();\n  cudaFree(d);\n}\n");
    const cli::ProgramRun ran = run({"run", "half_a_warp.cu"});
    EXPECT_EQ(ran.exit_code, 1) << other_half << ran.err;
    EXPECT_TRUE(contains(ran.err, "half_a_warp.cu:7: wmma::store_matrix_sync("));
  }
}

// Case 0 has rows of 20 half-precision elements, case 1 begins one element later, and in case 2 the halves of
// a warp come to different lines.
TEST_F(TensorCores, NeedAlignedRowsAndAllLanesInOneLine) {
  write("load.cu",
        "#include <cuda_fp16.h>\n#include <mma.h>\nusing namespace nvcuda;\n"
        "__global__ void load(const half* x, int leading, bool all) {\n"
        "  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a, b;\n"
        "  if (all || threadIdx.x < 16) wmma::load_matrix_sync(a, x, leading);\n"
        "  wmma::load_matrix_sync(b, x, leading);\n"
        "}\nint main(int, char** words) {\n  half* x;\n  cudaMalloc(&x, 2000);\n  cudaMemset(x, 0, 2000);\n"
        "  const int number = words[1][0] - '0';\n"
        "  load<<<1, 32>>>(x + (number == 1), number == 0 ? 20 : 16, number < 2);\n"
        "  cudaDeviceSynchronize();\n  cudaFree(x);\n}\n");
  const char* const expected[] = {"past a multiple of 16", "past a multiple of 32",
                                  "'all lanes of the warp are at this operation' is false"};
  for (int i = 0; i < 3; ++i) {
    const cli::ProgramRun ran = run({"run", "load.cu", "--", std::to_string(i)});
    EXPECT_EQ(ran.exit_code, 1) << i;
    EXPECT_TRUE(contains(ran.err, expected[i])) << i;
  }
}

}  // namespace
}  // namespace gpulab::program::runtime
