#include "program/runtime/cases_fixture.hpp"

namespace gpulab::program::runtime {
namespace {

class Cub : public CasesOfOneProgram {
 protected:
  Cub() : CasesOfOneProgram("cub.cu") {}
};

// The results are those of CUB 3.0.1 on an H100.
TEST_F(Cub, GivesWhatCubGivesInWarpsAndBlocks) {
  const cli::ProgramRun ran = run_case("blocks");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "sums 1533 1464\nscan 0 0 8001, 8128, 8256\nsort 62.5 61.5 -64.5, 83\n"
            "warps 62.5 30.5 -1.5 -33.5, 105 0 1785\ncounts 16 4 16\n");
}

TEST_F(Cub, GivesWhatCubGivesForTheWholeDevice) {
  const cli::ProgramRun ran = run_case("device");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(
      ran.out,
      "asked 1\nsum 499500\nmax 999\nsorted 999 0\nscanned 0 498537\neven 500, 74\nbins 100 100\nruns 3, 8\n");
}

TEST_F(Cub, FindsWrongPointersWrongSizesAndAMissingBarrierBetweenTwoUsesOfTheStorage) {
  const cli::ProgramRun ran = run_case("mistakes");
  EXPECT_EQ(ran.exit_code, 1);
  for (const char* part : {"cub::DeviceReduce::Sum is given a pointer to host memory as its d_in", "uses 800",
                           "DEFECT  race-shared", "with no barrier between line 31 and line 33",
                           "write: __syncthreads(); without its condition, in line 32\n"})
    EXPECT_TRUE(contains(ran.err, part)) << part;
}

TEST_F(Cub, NamesTheRaceOfItsStorageAndNotTheStoresThatUseItsResult) {
  write("union.cu", R"(#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
__global__ void compact(const float* in, float* out, int* count, float* mean) {
  using Scan = cub::BlockScan<int, 128>;
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ union { Scan::TempStorage scan; Reduce::TempStorage reduce; } storage;
  __shared__ int base;
  const float v = in[blockIdx.x * 128 + threadIdx.x];
  int keep = v > 0, pos, total;
  Scan(storage.scan).ExclusiveSum(keep, pos, total);
  const float s = Reduce(storage.reduce).Sum(keep ? v : 0.f);
  if (threadIdx.x == 0) { base = atomicAdd(count, total); atomicAdd(mean, s); }
  __syncthreads();
  if (keep) out[base + pos] = v;
}
int main() {
  static float h[1280];
  float *in, *out, *mean;
  int* count;
  for (int i = 0; i < 1280; ++i) h[i] = i % 3 - 1;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMalloc(&mean, 4);
  cudaMalloc(&count, 4);
  cudaMemset(count, 0, 4);
  cudaMemset(mean, 0, 4);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  compact<<<10, 128>>>(in, out, count, mean);
  cudaDeviceSynchronize();
}
)");
  const std::string report = unwrapped(run({"run", "union.cu"}).err);
  EXPECT_EQ(report.rfind("DEFECT  race-shared", 0), 0u) << report;
  EXPECT_TRUE(contains(report, "likely a consequence: out-of-bounds in line 14")) << report;
  EXPECT_FALSE(contains(report, "DEFECT  out-of-bounds")) << report;
}

TEST_F(Cub, NamesTheCallThatOnlyAskedForASizeWhereItsResultIsUsed) {
  const std::string begin =
      "#include <cub/cub.cuh>\n#include <cstdio>\n__global__ void twice(int* x) { *x *= 2; }\nint main() {\n"
      "  int *in, *out, sum;\n  cudaMalloc(&in, 400);\n  cudaMalloc(&out, 4);\n  cudaMemset(in, 0, 400);\n"
      "  void* temporary = nullptr;\n  size_t bytes = 0;\n"
      "  cub::DeviceReduce::Sum(temporary, bytes, in, out, 100);\n";
  const std::string
      second = "  cub::DeviceReduce::Sum(temporary, bytes, in, out, 100);\n",
      copy = "  cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost);\n",
      end = "  printf(\"%d\", sum);\n  cudaFree(temporary);\n  cudaFree(in);\n  cudaFree(out);\n}\n";
  const std::string why =
      "cub::DeviceReduce::Sum in line 12 was called with d_temp_storage == nullptr, which only asks for the size";
  for (const auto& [use, pattern] :
       {std::pair{copy, "DEFECT  uninitialised-copy\n"},
        {"  twice<<<1, 1>>>(out);\n" + copy, "DEFECT  uninitialised-global\n"},
        {"  cudaMalloc(&temporary, bytes);\n  cub::DeviceReduce::Max(temporary, bytes, out, in, 1);\n" + copy,
         "DEFECT  uninitialised-global\n"}}) {
    write("asks.cu", begin + second + use + end);
    const cli::ProgramRun ran = run({"run", "asks.cu"});
    EXPECT_EQ(ran.exit_code, 1) << ran.err;
    EXPECT_TRUE(contains(ran.err, pattern));
    EXPECT_TRUE(contains(unwrapped(ran.err), why)) << ran.err;
  }
  write("asks.cu", begin + "  cudaMalloc(&temporary, bytes);\n" + second + copy + end);
  const cli::ProgramRun right = run({"run", "--strict", "asks.cu"});
  EXPECT_EQ(right.exit_code, 0) << right.err;
}

TEST_F(Cub, FindsOtherThreadsThatUseAResultOfTheFirstThreadAlone) {
  const struct {
    const char *type, *reduction, *use, *finding;  // an empty finding: the kernel is right
  } kernels[] = {
      {"float", "cub::BlockReduce<float, 128>(all).Sum(x)", "out[i] = x / sum;",
       "cub::BlockReduce returns its result in thread 0 alone. Kernel reduce uses what another thread gets"},
      {"int", "cub::BlockReduce<int, 128>(all).Reduce(x, cub::Max())", "out[i] = sum;",
       "element 1 of the 512 bytes"},
      {"double", "cub::WarpReduce<double>(warps[i / 32]).Sum(x)", "out[i] = sum + 1;",
       "cub::WarpReduce returns its result in lane 0 alone. Kernel reduce uses what another lane gets"},
      {"float", "cub::BlockReduce<float, 128>(all).Sum(x)",
       "if (i == 0) result = sum; __syncthreads(); out[i] = result;", ""},
      {"int", "cub::WarpReduce<int>(warps[i / 32]).Sum(x)", "out[i] = __shfl_sync(0xffffffff, sum, 0);", ""}};
  for (const auto& [type, reduction, use, finding] : kernels) {
    const bool is_wrong = *finding != 0;
    write("all.cu",
          std::string("#include <cub/cub.cuh>\nusing T = ") + type +
              ";\n__global__ void reduce(T* out) {\n"
              "  __shared__ typename cub::BlockReduce<T, 128>::TempStorage all;\n"
              "  __shared__ typename cub::WarpReduce<T>::TempStorage warps[4];\n  __shared__ T result;\n"
              "  const int i = threadIdx.x;\n  const T x = i + 1;\n  const T sum = " +
              reduction + ";\n  " + use +
              "\n}\nint main() {\n  T* out;\n  cudaMalloc(&out, 128 * sizeof(T));\n"
              "  for (int i = 0; i < 2; ++i) reduce<<<1, 128>>>(out);\n  cudaDeviceSynchronize();\n"
              "  cudaFree(out);\n}\n");
    const cli::ProgramRun ran = run({"run", "all.cu"});
    const std::string words = unwrapped(ran.err);
    EXPECT_EQ(ran.exit_code, is_wrong ? 1 : 0) << use << words;
    EXPECT_TRUE(contains(words, finding));
    EXPECT_EQ(contains(words, "DEFECT  undefined-result"), is_wrong) << words;
    EXPECT_EQ(contains(words, "all.cu:9: const T sum = "), is_wrong) << words;
  }
}

TEST_F(Cub, NeedsABarrierBetweenTwoLoadsThatExchangeItems) {
  for (const std::string between : {"", "  __syncthreads();\n"}) {
    write("loads.cu",
          "#include <cub/cub.cuh>\n__global__ void copy(const int* in, int* out) {\n"
          "  using Load = cub::BlockLoad<int, 128, 2, cub::BLOCK_LOAD_TRANSPOSE>;\n"
          "  __shared__ typename Load::TempStorage temp;\n  int a[2], b[2];\n  Load(temp).Load(in, a);\n" +
              between +
              "  Load(temp).Load(in, b);\n  out[threadIdx.x] = a[0] + b[1];\n}\n"
              "int main() {\n  int *in, *out;\n  cudaMalloc(&in, 1024);\n  cudaMalloc(&out, 512);\n"
              "  cudaMemset(in, 0, 1024);\n  copy<<<1, 128>>>(in, out);\n  cudaDeviceSynchronize();\n"
              "  cudaFree(in);\n  cudaFree(out);\n}\n");
    const cli::ProgramRun ran = run({"run", "loads.cu"});
    EXPECT_EQ(ran.exit_code, between.empty() ? 1 : 0) << ran.err;
    EXPECT_EQ(contains(ran.err, "DEFECT  race-shared"), between.empty()) << ran.err;
  }
}

TEST_F(Cub, SortsBackAndForthBetweenTwoBuffers) {
  write("double_buffer.cu", source_text("tests/program/runtime/double_buffer.cu"));
  const cli::ProgramRun ran = run({"run", "double_buffer.cu"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "0 73 27\n99 0\n") << ran.err;
}

TEST_F(Cub, IsCalledHipCubInHipWithWarpsOf64Lanes) {
  write("sums.hip",
        "#include <hip/hip_runtime.h>\n#include <hipcub/hipcub.hpp>\n#include <cstdio>\n"
        "__global__ void sums(int* out) {\n"
        "  using WarpReduce = hipcub::WarpReduce<int>;\n"
        "  __shared__ typename WarpReduce::TempStorage temp[2];\n"
        "  const int sum = WarpReduce(temp[threadIdx.x / 64]).Sum(1);\n"
        "  if (threadIdx.x % 64 == 0) out[threadIdx.x / 64] = sum;\n}\n"
        "int main() {\n  int *out, host[2];\n  hipMalloc(&out, 8);\n  sums<<<1, 128>>>(out);\n"
        "  hipMemcpy(host, out, 8, hipMemcpyDeviceToHost);\n"
        "  printf(\"%d %d\\n\", host[0], host[1]);\n  hipFree(out);\n}\n");
  const cli::ProgramRun ran = run({"run", "sums.hip"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "64 64\n") << ran.err;
}

TEST_F(Cub, IsRefusedByNameWhereItLacksAFunction) {
  write("lacking.cu",
        "#include <cub/cub.cuh>\nint main() {\n  return sizeof(&cub::DeviceReduce::ReduceByKey<int>);\n}\n");
  const cli::ProgramRun ran = run({"run", "lacking.cu"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(contains(
      ran.err, "lacking.cu, line 3: the simulated device does not have cub::DeviceReduce::ReduceByKey"));
}

}  // namespace
}  // namespace gpulab::program::runtime
