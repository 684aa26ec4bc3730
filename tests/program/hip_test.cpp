#include "cli/program_fixture.hpp"
#include "test.hpp"

namespace gpulab::program {
namespace {

using HipTest = cli::ProgramTest;

TEST_F(HipTest, RunsAProgramUnchangedWhateverTheEndingOfItsFile) {
  for (const char* name : {"features.hip", "features.cpp", "features.cu"}) {
    write(name, source_text("tests/program/hip.hip"));
    const cli::ProgramRun result = run({"run", name});
    EXPECT_EQ(result.out, "15 9\n658\n-3 0\n456 12345bc8\nsimulated 1 1 1 hipErrorOutOfMemory\n")
        << name << result.err;
    EXPECT_TRUE(contains(result.err, "no defect")) << name;
  }
}

TEST_F(HipTest, NamesHipsFunctionsInFindings) {
  write("leak.hip", R"(#include <hip/hip_runtime.h>
__global__ void set(int* x) { x[threadIdx.x] = 1; }
int main() {
  int *x, *cuda_x;
  hipMalloc(&x, 100);
  cuda_x = x;
  set<<<1, 32>>>(cuda_x);
  hipDeviceSynchronize();
}
)");
  const cli::ProgramRun result = run({"run", "leak.hip"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "100 bytes that hipMalloc gave are never freed"));
  EXPECT_TRUE(contains(result.err, "write: hipFree(...)"));
  EXPECT_FALSE(contains(result.err, "cudaMalloc")) << result.err;
}

TEST_F(HipTest, NamesHipsFunctionsInErrorsOfTheCompiler) {
  write("wrong.hip", "#include <hip/hip_runtime.h>\nint main() { hipMalloc(3, 4); }\n");
  const cli::ProgramRun result = run({"run", "wrong.hip"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(contains(result.err, "hipMalloc(int, int)"));
}

TEST_F(HipTest, RefusesLibrariesAndAMDsInstructionsByName) {
  write("fft.hip",
        "#include <hip/hip_runtime.h>\n#include <hipfft/hipfft.h>\nint main() { hipfftHandle handle; }\n");
  EXPECT_TRUE(
      contains(run({"run", "fft.hip"}).err, "fft.hip, line 3: the simulated device does not have hipFFT"));
  write("levels.hip", "#include <hip/hip_runtime.h>\nint main() { hipMipmappedArray_t levels; }\n");
  EXPECT_TRUE(contains(run({"run", "levels.hip"}).err, "does not have hipMipmappedArray_t"));
  write("module.hip", "#include <hip/hip_runtime.h>\nint main() { hipModule_t module; }\n");
  EXPECT_TRUE(contains(run({"run", "module.hip"}).err, "does not have the driver API (hipModule_t)"));
  write("prim.hip", "#include <rocprim/rocprim.hpp>\nint main() { rocprim::plus<int> plus; }\n");
  EXPECT_TRUE(contains(run({"run", "prim.hip"}).err, "does not have rocPRIM"));
  write("rtc.hip",
        "#include <hip/hip_runtime.h>\n#include <hip/hiprtc.h>\nint main() { hiprtcProgram program; }\n");
  EXPECT_TRUE(contains(run({"run", "rtc.hip"}).err, "does not have HIPRTC (hiprtcProgram)"));
}

TEST_F(HipTest, HasGraphs) {
  write("graph.hip", R"(#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void add(int* x) { ++*x; }
int main() {
  int* x;
  hipHostMalloc(&x, sizeof(int));
  *x = 0;
  hipStream_t stream;
  hipStreamCreate(&stream);
  hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal);
  add<<<1, 1, 0, stream>>>(x);
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipStreamEndCapture(stream, &graph);
  hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  hipGraphLaunch(exec, stream);
  hipGraphLaunch(exec, stream);
  hipStreamSynchronize(stream);
  printf("%d\n", *x);
  hipGraphExecDestroy(exec);
  hipGraphDestroy(graph);
  hipStreamDestroy(stream);
  hipHostFree(x);
}
)");
  const cli::ProgramRun result = run({"run", "graph.hip"});
  EXPECT_EQ(result.out, "2\n") << result.err;
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(HipTest, RefusesToCompileHipWithNvcc) {
  write("empty.hip", "int main() {}\n");
  const cli::ProgramRun result = run({"run", "--device", "cuda", "empty.hip"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "nvcc, which does not compile HIP"));
}

}  // namespace
}  // namespace gpulab::program
