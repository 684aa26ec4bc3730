#include "program/runtime/cases_fixture.hpp"

namespace gpulab::program::runtime {
namespace {

class Cublas : public CasesOfOneProgram {
 protected:
  Cublas() : CasesOfOneProgram("cublas.cu") {}

  // Expects a finding, with any exit code. The pattern may have "DEFECT  " or "note  " before it.
  void expect_finding(const std::string& name, const std::string& pattern, const std::string& comment,
                      const std::string& words) const {
    const cli::ProgramRun ran = run_case(name);
    for (const std::string& text : {pattern, place_of(file_, comment), words})
      EXPECT_TRUE(contains(ran.err, text)) << name;
  }
};

TEST_F(Cublas, ComputesWhatLoopsOfTheProgramCompute) {
  for (const char* name : {"vectors", "products", "triangles", "batches", "complex", "types", "halves",
                           "narrow", "pointer_mode"})
    for (const char* option : {"--plain", "--format=text"}) {
      const cli::ProgramRun ran = run_case(name, option);
      EXPECT_EQ(ran.exit_code, 0) << name << ": " << ran.err;
      EXPECT_TRUE(contains(ran.out, "right")) << name;
      EXPECT_FALSE(contains(ran.out, "wrong")) << name << ": " << ran.out;
    }
}

TEST_F(Cublas, ReturnsItsOwnErrors) {
  std::string wanted = "CUBLAS_STATUS_NOT_INITIALIZED\n";
  for (int i = 0; i < 7; ++i) wanted += "CUBLAS_STATUS_INVALID_VALUE\n";
  for (int i = 0; i < 4; ++i) wanted += "CUBLAS_STATUS_NOT_SUPPORTED\n";
  EXPECT_EQ(run_case("statuses").out, wanted);
  expect_finding("statuses", "invalid-argument", "leading",
                 "the leading dimension of A is 1, and A has 2 rows");
  expect_finding("statuses", "invalid-argument", "increment", "the increment of x is 0");
  expect_finding("statuses", "invalid-argument", "side", "none of its enumeration's values");
  expect_finding("statuses", "note  not-supported", "types", "for these types of numbers");
}

TEST_F(Cublas, IsWatchedAsCopiesAre) {
  expect_finding("past_the_end", "DEFECT  out-of-bounds", "scales", "uses 400 bytes of its x, 4 more than");
  expect_finding("past_the_end", "DEFECT  out-of-bounds", "too small", "allocated by cudaMalloc here");
  expect_finding("unwritten", "DEFECT  uninitialised-global", "sums", "element 0 of the 400 bytes");
  expect_finding("host_memory", "DEFECT  host-pointer", "foreign", "host memory as its x");
  expect_finding("result_on_device", "DEFECT  device-pointer-on-host", "result",
                 "CUBLAS_POINTER_MODE_DEVICE");
  expect_finding("race", "DEFECT  race-streams", "in the stream", "cublasSscal");
  expect_finding("leak", "note  handle-leak", "creates", "cublasDestroy(...)");
}

TEST_F(Cublas, IsRefusedByNameWhereItLacksAFunction) {
  write("banded.cu", R"(#include <cublas_v2.h>
int main() {
  cublasSgbmv(nullptr, CUBLAS_OP_N, 1, 1, 0, 0, nullptr, nullptr, 1, nullptr, 1, nullptr, nullptr, 1);
}
)");
  const cli::ProgramRun ran = run({"run", "banded.cu"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(contains(ran.err, "banded.cu, line 3: the simulated device does not have cublasSgbmv"));
}

TEST_F(Cublas, IsANodeOfTheGraphThatItsStreamIsCapturedInto) {
  write("captured.cu", R"(#include <cublas_v2.h>
#include <cstdio>
int main() {
  const float host[] = {1, 2}, factor = 5;
  float *x, result[2];
  cublasHandle_t handle;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cublasCreate(&handle), cudaStreamCreate(&stream), cublasSetStream(handle, stream);
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cublasSscal(handle, 2, &factor, x, 1);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&made, graph, 0);
  cudaGraphLaunch(made, stream), cudaGraphLaunch(made, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost);
  printf("%g %g\n", result[0], result[1]);
  cudaGraphExecDestroy(made), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
  cudaFree(x), cublasDestroy(handle);
}
)");
  const cli::ProgramRun ran = run({"run", "captured.cu"});
  EXPECT_EQ(ran.out, "25 50\n") << ran.err;
  EXPECT_TRUE(contains(ran.err, "no defect found"));
}

TEST_F(Cublas, IsHipblasUnderHip) {
  write("sum.hip", R"(#include <hip/hip_runtime.h>
#include <hipblas/hipblas.h>
#include <cstdio>
int main() {
  hipblasHandle_t handle;
  if (hipblasCreate(&handle) != HIPBLAS_STATUS_SUCCESS) return 1;
  float *x, sum, host[3] = {1, -2, 3};
  hipMalloc(&x, sizeof host);
  hipblasSetVector(3, sizeof(float), host, 1, x, 1);
  hipblasSasum(handle, 3, x, 1, &sum);
  printf("%g\n", sum);
  hipFree(x);
}
)");
  const cli::ProgramRun ran = run({"run", "sum.hip"});
  EXPECT_EQ(ran.out, "6\n") << ran.err;
  EXPECT_TRUE(contains(ran.err, "hipblasDestroy(...)"));
}

}  // namespace
}  // namespace gpulab::program::runtime
