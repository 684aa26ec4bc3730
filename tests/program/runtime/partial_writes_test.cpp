#include "program/runtime/cases_fixture.hpp"

namespace gpulab::program::runtime {
namespace {

using PartialWrites = cli::ProgramTest;

// Returns a program in which one kernel prepares states and another one uses and changes all of them.
std::string program_with(const std::string& allocation, const std::string& launch) {
  return "#include <cstdio>\n"
         "struct State { int number; double extra; double more[4]; };\n"
         "__global__ void setup(State* s) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  s[i].number = i;\n  s[i].extra = 0;\n  for (double& value : s[i].more) value = i;\n}\n"
         "__global__ void use(State* s, double* out, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i >= n) return;\n  out[i] = s[i].extra;\n  s[i].extra = i;\n  out[i] += s[i].more[1];\n}\n"
         "int main() {\n  const int n = 1024;\n  State* s;\n  double* out;\n  " +
         allocation + "\n  cudaMalloc(&out, n * sizeof(double));\n  " + launch +
         "\n  for (int i = 0; i < 2; ++i) use<<<4, 256>>>(s, out, n);\n"
         "  cudaDeviceSynchronize();\n  cudaFree(s);\n  cudaFree(out);\n}\n";
}

TEST_F(PartialWrites, BlameTheLaunchThatLeavesTheEndUnwritten) {
  for (const char* allocation :
       {"cudaMalloc(&s, n * sizeof(State));", "cudaMalloc((void**)&s, n * sizeof(State));"}) {
    write("states.cu", program_with(allocation, "setup<<<1, 256>>>(s);"));
    const cli::ProgramRun ran = run({"run", "states.cu"});
    const std::string words = unwrapped(ran.err);
    EXPECT_TRUE(contains(
        words, "kernel setup wrote only elements 0 to 255 of 1 024, and a later kernel reads more: "));
    EXPECT_TRUE(contains(words, "states.cu:22: setup<<<1, 256>>>(s);"));
    EXPECT_TRUE(contains(words, "(1024 + 255) / 256 blocks"));
    EXPECT_TRUE(contains(words, "states.cu: 1 defect found"));
  }
}

TEST_F(PartialWrites, OfSeveralLaunchesAskForNoOtherGrid) {
  for (const bool has_holes : {false, true}) {
    write("pieces.cu", std::string("__global__ void fill(int* p) { p[threadIdx.x] = 1; }\n"
                                   "__global__ void sum(int* p, int n) {\n  int all = 0;\n"
                                   "  for (int i = 0; i < n; ++i) all += p[i];\n  p[0] = all;\n}\n"
                                   "int main() {\n  int* p;\n  cudaMalloc(&p, 102 * sizeof(int));\n"
                                   "  for (int i = 0; i < 6; ++i) fill<<<1, 16>>>(p + 16 * i") +
                           (has_holes ? " + i" : "") +
                           ");\n  sum<<<1, 1>>>(p, 102);\n  cudaDeviceSynchronize();\n  cudaFree(p);\n}\n");
    const cli::ProgramRun ran = run({"run", "pieces.cu"});
    EXPECT_EQ(contains(ran.err, "the launches before wrote only elements 0 to 95 of 102, and"), !has_holes)
        << ran.err;
    EXPECT_FALSE(contains(ran.err, "write: as many")) << ran.err;
    EXPECT_FALSE(contains(ran.err, "nothing was copied")) << ran.err;
  }
}

TEST_F(PartialWrites, AskForBlocksWhereEachBlockWritesOneElement) {
  for (const bool is_by_each_block : {true, false}) {
    write("parts.cu", std::string("__global__ void part(float* p) {\n  if (threadIdx.x == 0") +
                          (is_by_each_block ? "" : " && blockIdx.x < 7") +
                          ") p[blockIdx.x] = 1;\n}\n"
                          "__global__ void sum(float* p, int n) {\n  float all = 0;\n"
                          "  for (int i = 0; i < n; ++i) all += p[i];\n  p[0] = all;\n}\n"
                          "int main() {\n  float* p;\n  cudaMalloc(&p, 256);\n  part<<<12, 32>>>(p);\n"
                          "  sum<<<1, 1>>>(p, 64);\n  cudaDeviceSynchronize();\n  cudaFree(p);\n}\n");
    const cli::ProgramRun ran = run({"run", "parts.cu"});
    EXPECT_TRUE(contains(ran.err, "kernel part wrote only"));
    EXPECT_EQ(contains(ran.err,
                       "write: as many blocks as elements, or give the later kernel the number of "
                       "blocks, 12, to read\n"),
              is_by_each_block)
        << ran.err;
    EXPECT_FALSE(contains(ran.err, "as many threads")) << ran.err;
  }
}

TEST_F(PartialWrites, OfPitchedMemoryAskForACopyByRows) {
  for (const bool copies_all : {true, false}) {
    write("rows.cu", std::string("__global__ void inverse(unsigned char* p, size_t pitch) {\n"
                                 "  p[blockIdx.x * pitch + threadIdx.x] ^= 255;\n}\n"
                                 "int main() {\n  static unsigned char image[5000];\n  unsigned char* p;\n"
                                 "  size_t pitch;\n  cudaMallocPitch(&p, &pitch, 100, 50);\n"
                                 "  cudaMemcpy(p, image, ") +
                         (copies_all ? "5000" : "500") +
                         ", cudaMemcpyHostToDevice);\n  inverse<<<50, 100>>>(p, pitch);\n"
                         "  cudaMemcpy2D(image, 100, p, pitch, 100, 50, cudaMemcpyDeviceToHost);\n"
                         "  cudaFree(p);\n  return image[0];\n}\n");
    const cli::ProgramRun ran = run({"run", "rows.cu"});
    EXPECT_TRUE(contains(ran.err, "cudaMemcpy wrote only"));
    EXPECT_EQ(contains(ran.err, "write: cudaMemcpy2D(device, pitch, host, 100, 100, 50, kind)\n"), copies_all)
        << ran.err;
    EXPECT_FALSE(contains(ran.err, "as many bytes")) << ran.err;
  }
}

TEST_F(PartialWrites, BlameNoLaunchWhereNoneHasWritten) {
  write("states.cu", program_with("cudaMalloc(&s, n * sizeof(State));", ""));
  const cli::ProgramRun ran = run({"run", "states.cu"});
  EXPECT_FALSE(contains(ran.err, "wrote only")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "nothing was copied or set there"));
}

TEST_F(PartialWrites, AreNoDefectWhereALaterLaunchWritesTheRest) {
  write("states.cu", program_with("cudaMalloc(&s, n * sizeof(State));",
                                  "for (int i = 0; i < 4; ++i) setup<<<1, 256>>>(s + 256 * i);"));
  const cli::ProgramRun ran = run({"run", "states.cu"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
}

TEST_F(PartialWrites, OfLocalArraysAreNamedWhereTheirResultComesToTheHost) {
  const std::string begin = "#include <cstdio>\n__global__ void sums(const float* in, float* out) {\n";
  const std::string end =
      "  for (int j = 0; j < 8; ++j)\n    for (int k = 0; k < 4; ++k) sum[k] += in[8 * k + j];\n"
      "  for (int k = 0; k < 4; ++k) out[4 * threadIdx.x + k] = sum[k];\n}\n"
      "int main() {\n  float *in, *out, result[128];\n  cudaMalloc(&in, 128);\n  cudaMalloc(&out, 512);\n"
      "  cudaMemset(in, 0, 128);\n  sums<<<1, 32>>>(in, out);\n"
      "  cudaMemcpy(result, out, 512, cudaMemcpyDeviceToHost);\n  printf(\"%g\\n\", result[5]);\n"
      "  cudaFree(in);\n  cudaFree(out);\n}\n";
  write("sums.cu", begin + "  float sum[4];\n" + end);
  const cli::ProgramRun ran = run({"run", "sums.cu"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.err, "DEFECT  unset-variable"));
  EXPECT_TRUE(contains(ran.err, "sums.cu:6: for (int k = 0; k < 4; ++k) out[4 * threadIdx.x + k] = sum[k];"));
  std::string of_pairs = begin + "  float sum[4];\n" + end;
  of_pairs.replace(of_pairs.find("= sum[k];"), 9, "= sum[k] + sum[k ^ 1];");
  write("pairs.cu", of_pairs);
  EXPECT_TRUE(contains(run({"run", "pairs.cu"}).err, "DEFECT  unset-variable"));
  write(
      "given.cu",
      "#include <cstdlib>\n__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }\n"
      "int main() {\n  int *in, *out, host[32], back[32];\n  cudaMalloc(&in, 128);\n  cudaMalloc(&out, 128);\n"
      "  cudaMemcpy(in, host, 128, cudaMemcpyHostToDevice);\n  copy<<<1, 32>>>(in, out);\n"
      "  cudaMemcpy(back, out, 128, cudaMemcpyDeviceToHost);\n  cudaFree(in);\n  cudaFree(out);\n"
      "  return back[0] == 0;\n}\n");
  EXPECT_FALSE(contains(run({"run", "given.cu"}).err, "the kernel stores")) << "the host has given them";
  write("hits.cu",
        "__global__ void count(int* x) {\n  int hits;\n  for (int i = 0; i < 4; ++i) hits += i;\n"
        "  atomicAdd(x, hits);\n}\n"
        "int main() {\n  int *x, h;\n  cudaMalloc(&x, 4);\n  cudaMemset(x, 0, 4);\n  count<<<1, 32>>>(x);\n"
        "  cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);\n  cudaFree(x);\n}\n");
  EXPECT_TRUE(contains(run({"run", "hits.cu"}).err, "note  unset-variable"));
  EXPECT_EQ(run({"run", "--strict", "hits.cu"}).exit_code, 1);
  write("sums.cu", begin + "  float sum[4] = {};\n" + end);
  EXPECT_EQ(run({"run", "sums.cu"}).exit_code, 0);
}

TEST_F(PartialWrites, AreNoUnreadResultWhereTheProgramReturnsAnError) {
  const auto reports_unread_result = [&](const std::string& check, const std::string& end) {
    write("ends.cu",
          "#include <cstdlib>\n__global__ void k(int* p) { p[threadIdx.x] = 1; }\n"
          "int main(int count, char**) {\n  int *p, h[32] = {};\n  cudaMalloc(&p, 128);\n"
          "  k<<<1, 32>>>(p);\n  cudaDeviceSynchronize();\n" +
              check + "  cudaFree(p);\n  " + end + "\n}\n");
    return contains(run({"run", "ends.cu"}).err, "DEFECT  result-not-copied");
  };
  const std::string copy = "  cudaMemcpy(h, p, 128, cudaMemcpyDeviceToHost);\n";
  EXPECT_TRUE(reports_unread_result("", "return h[0] != 1;"));
  EXPECT_FALSE(reports_unread_result("", "return 42;"));
  EXPECT_FALSE(reports_unread_result("  if (count < 2) exit(EXIT_FAILURE);\n" + copy, "return h[0] != 1;"));
}

TEST_F(PartialWrites, AreNotedIfNothingCopiesThemBackOrNoKernelRuns) {
  const auto report_of = [&](const std::string& work) {
    write("silent.cu",
          "__global__ void give(int* p) { p[threadIdx.x] = 1; }\n"
          "__global__ void twice(const int* p, int* q) { q[threadIdx.x] = 2 * p[threadIdx.x]; }\n"
          "int main() {\n  int *p, *q, h[32] = {};\n  cudaMalloc(&p, 128);\n  cudaMalloc(&q, 128);\n" +
              work + "  cudaDeviceSynchronize();\n  cudaFree(p);\n  cudaFree(q);\n  return h[0] > 2;\n}\n");
    const cli::ProgramRun ran = run({"run", "silent.cu"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.err;
  };
  const std::string launches = "  give<<<1, 32>>>(p);\n  twice<<<1, 32>>>(p, q);\n",
                    copy = "  cudaMemcpy(h, q, 128, cudaMemcpyDeviceToHost);\n";
  const std::string silent = report_of(launches);
  EXPECT_TRUE(contains(silent,
                       "note  result-not-copied\nkernel twice has written to the 128 bytes that cudaMalloc "
                       "gave in line 6, and nothing copies them to the host\n  silent.cu:8: twice"))
      << silent;
  EXPECT_TRUE(contains(silent, "silent.cu: 1 note found in 2 launches")) << silent;
  EXPECT_TRUE(contains(report_of(launches + copy), "no defect found"));
  const std::string idle = report_of("  cudaMemset(q, 0, 128);\n" + copy);
  EXPECT_TRUE(contains(idle, "note  no-launch\n")) << idle;
  EXPECT_TRUE(contains(idle, "silent.cu:1: __global__ void give")) << idle;
}

TEST_F(PartialWrites, PastTheDynamicMemoryThatALaunchGivesAreOneDefect) {
  write("small.cu",
        "__global__ void k(int* out) {\n  extern __shared__ char raw[];\n  int *a = (int*)raw, *b = a + 64;\n"
        "  a[threadIdx.x] = 1;\n  b[threadIdx.x] = 2;\n  __syncthreads();\n"
        "  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];\n}\n"
        "int main() {\n  int *out, n = 64 * sizeof(int) + 4;\n  cudaMalloc(&out, 256);\n"
        "  k<<<1, 64, n>>>(out);\n  cudaDeviceSynchronize();\n  cudaFree(out);\n}\n");
  const cli::ProgramRun ran = run({"run", "small.cu"});
  // 63 stores to `b` and 63 loads: the launch gives memory for its first element.
  EXPECT_TRUE(contains(ran.err, "DEFECT  shared-out-of-bounds, 126 times\n")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "small.cu: 1 defect")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "(also in line 7)")) << ran.err;
}

}  // namespace
}  // namespace gpulab::program::runtime
