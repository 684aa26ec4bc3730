#include "cli/program_fixture.hpp"
#include "test.hpp"

// Programs whose streams, graphs and callbacks use memory in no order, and programs that order them.

namespace gpulab::program::runtime {
namespace {

class StreamOrderOfPrograms : public cli::ProgramTest {
 protected:
  cli::ProgramRun run_text(const std::string& text, const std::vector<std::string>& options = {}) const {
    write("order.cu", "#include <cstdio>\n#include <cstdlib>\n" + text);
    std::vector<std::string> words{"run", "order.cu"};
    words.insert(words.begin() + 1, options.begin(), options.end());
    return run(words);
  }
  static std::size_t defects_of(const cli::ProgramRun& run) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = run.err.find("DEFECT  ", at)) != std::string::npos; ++at) ++count;
    return count;
  }
};

std::string with_constant(const std::string& wait) {
  return R"(
__constant__ float factors[32];
__global__ void scale(float* out) { out[threadIdx.x] = factors[threadIdx.x]; }  // line 5
int main() {
  float host[32] = {1}, *out;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMalloc(&out, sizeof host);
  cudaMemcpyToSymbol(factors, host, sizeof host);
  scale<<<1, 32, 0, stream>>>(out);
)" + wait +
         R"(
  cudaMemcpyToSymbol(factors, host, sizeof host);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(out);
}
)";
}

TEST_F(StreamOrderOfPrograms, HoldsForConstantMemoryToo) {
  const cli::ProgramRun raced = run_text(with_constant(""));
  EXPECT_EQ(raced.exit_code, 1) << raced.err;
  EXPECT_TRUE(contains(raced.err, "DEFECT  race-streams")) << raced.err;
  EXPECT_TRUE(contains(raced.err, "order.cu:5: ")) << raced.err;
  EXPECT_EQ(run_text(with_constant("cudaStreamSynchronize(stream);")).exit_code, 0);
}

TEST_F(StreamOrderOfPrograms, NeedsCopiesToConstantMemoryBeforeTheLaunchThatReadsIt) {
  const auto program = [](const std::string& value, const std::string& copy) {
    return "__constant__ float factors[2]" + value + R"(;
__constant__ int unused;
__global__ void scale(float* out) { out[threadIdx.x] = factors[threadIdx.x]; }
int main() {
  float host[2] = {1, 2}, *out;
  cudaMalloc(&out, sizeof host);
)" + copy + R"(
  scale<<<1, 2>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(out);
}
)";
  };
  const std::string copy = "cudaMemcpyToSymbol(factors, host, sizeof host);",
                    zeros = "host[0] = host[1] = 0; " + copy;
  const cli::ProgramRun unset = run_text(program("", ""));
  EXPECT_EQ(unset.exit_code, 0) << unset.err;
  EXPECT_TRUE(contains(unset.err, "note  constant-never-set\nkernel scale reads factors")) << unset.err;
  EXPECT_EQ(run({"run", "--strict", "order.cu"}).exit_code, 1);
  EXPECT_TRUE(contains(unset.err, "order.cu:10: scale<<<1, 2>>>(out);")) << unset.err;
  const cli::ProgramRun part = run_text(program("", "cudaMemcpyToSymbol(factors, host, 4);"));
  EXPECT_TRUE(contains(part.err, "of which only the first 4 of 8")) << part.err;
  EXPECT_TRUE(contains(part.err, "note  constant-never-set\nkernel scale reads factors")) << part.err;
  EXPECT_FALSE(contains(part.err, "write: ")) << part.err;
  const std::string halves = "cudaMemcpyToSymbol(factors, host, 4); cudaMemcpyToSymbol(factors, host, 4, 4);";
  for (const std::string& right :
       {program("", copy), program("", halves), program("", zeros), program(" = {}", ""), program("{}", "")})
    EXPECT_FALSE(contains(run_text(right).err, "note")) << right;
}

TEST_F(StreamOrderOfPrograms, DoesNotComeFromTheHostsWaitForAnotherStream) {
  const cli::ProgramRun raced = run_text(R"(
int main() {
  int *host, *device;
  cudaStream_t copy, compute;
  cudaStreamCreate(&copy);
  cudaStreamCreate(&compute);
  cudaMallocHost(&host, 4);
  cudaMalloc(&device, 4);
  cudaMemset(device, 0, 4);
  cudaMemcpyAsync(host, device, 4, cudaMemcpyDeviceToHost, copy);
  cudaStreamSynchronize(compute);
  const int value = *host;
  cudaDeviceSynchronize();
  cudaFree(device);
  cudaFreeHost(host);
  return value;
}
)");
  EXPECT_TRUE(contains(raced.err, "the host has not waited for it since")) << raced.err;
  EXPECT_TRUE(contains(raced.err,
                       "order.cu:13: cudaStreamSynchronize(compute);\n"
                       "    the host waits here, but for another stream"))
      << raced.err;
}

TEST_F(StreamOrderOfPrograms, IsKeptByGraphsWhoseKernelsAreGivenByAddress) {
  const cli::ProgramRun ran = run_text(R"(#include <cstdio>
template <int step> __global__ void count(int* x) { *x += step; }
void add(cudaGraph_t graph, void* function, void** arguments) {
  cudaKernelNodeParams params = {};
  params.func = function;
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  cudaGraphNode_t node;
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
}
int main() {
  int *x, result;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  void *arguments[] = {&x}, *kernel = (void*)count<5>;
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  add(graph, kernel, arguments);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, 0);
  cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, 0);
  cudaMemcpy(&result, x, 4, cudaMemcpyDeviceToHost);
  printf("%d", result);
  cudaLaunchKernel(&graph, dim3(1), dim3(1), arguments, 0, 0);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaFree(x);
}
)");
  EXPECT_EQ(ran.out, "10");
  EXPECT_TRUE(contains(ran.err, "1 defect found")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "own file casts it, as (void*)kernel")) << ran.err;
}

TEST_F(StreamOrderOfPrograms, IsMissedOnceByACopyAndALaunchThatReadsInTwoLines) {
  const cli::ProgramRun raced = run_text(R"(
__global__ void add(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x > 0) out[threadIdx.x] += in[threadIdx.x - 1];
}
int main() {
  int *host, *in, *out;
  cudaStream_t first, second;
  cudaStreamCreate(&first), cudaStreamCreate(&second);
  cudaMallocHost(&host, 128), cudaMalloc(&in, 128), cudaMalloc(&out, 128);
  for (int i = 0; i < 32; ++i) host[i] = i;
  cudaMemcpyAsync(in, host, 128, cudaMemcpyHostToDevice, first);
  add<<<1, 32, 0, second>>>(in, out);
  cudaStreamSynchronize(first), cudaStreamSynchronize(second);
  cudaFreeHost(host), cudaFree(in), cudaFree(out), cudaStreamDestroy(first), cudaStreamDestroy(second);
}
)");
  EXPECT_EQ(defects_of(raced), 1u) << raced.err;
  EXPECT_TRUE(contains(raced.err, "    kernel add reads here, too\n")) << raced.err;
}

std::string with_graph(const std::string& allocation, const std::string& release) {
  return R"(
__global__ void add(int* x) { x[threadIdx.x] += 1; }
int main() {
  int *device, *host = )" +
         allocation + R"(;  // line 6
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaMalloc(&device, 256);
  for (int i = 0; i < 64; ++i) host[i] = 5;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(device, host, 256, cudaMemcpyHostToDevice, stream);  // line 14
  add<<<1, 64, 0, stream>>>(device);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  )" + release +
         R"(
  cudaGraphLaunch(exec, stream);  // line 19
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaStreamDestroy(stream), cudaFree(device);
}
)";
}

TEST_F(StreamOrderOfPrograms, NeedsTheHostsMemoryUntilAGraphHasCopiedIt) {
  const std::string block = "(int*)malloc(256)";
  for (const char* release : {"free(host);", "free(host); int* other = (int*)malloc(256); other[0] = 9;"}) {
    const cli::ProgramRun freed = run_text(with_graph(block, release));
    EXPECT_EQ(freed.exit_code, 1) << freed.err;
    for (const char* words : {"DEFECT  use-after-free", "order.cu:14: ", "order.cu:19: ", "order.cu:6: "})
      EXPECT_TRUE(contains(freed.err, words)) << words << "\n" << freed.err;
  }
  for (const std::string& right : {block, std::string("new int[64]")}) {
    const cli::ProgramRun kept = run_text(with_graph(right, "cudaGraphLaunch(exec, stream);"));
    EXPECT_EQ(kept.exit_code, 0) << kept.err;
  }
}

TEST_F(StreamOrderOfPrograms, BeginsWithTheAllocationOfMemoryInAStream) {
  const auto with_order = [](const std::string& order) {
    return "__global__ void fill(int* d) { d[threadIdx.x] = 1; }\nint main() {\n  int* d;\n  cudaStream_t a, b;\n"
           "  cudaEvent_t given;\n  cudaEventCreate(&given);\n"
           "  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);\n"
           "  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);\n  cudaMallocAsync(&d, 128, a);\n" +
           order +
           "  fill<<<1, 32, 0, b>>>(d);\n  cudaStreamSynchronize(b);\n  cudaFreeAsync(d, a);\n"
           "  cudaDeviceSynchronize();\n  cudaEventDestroy(given);\n  cudaStreamDestroy(a);\n"
           "  cudaStreamDestroy(b);\n}\n";
  };
  const cli::ProgramRun raced = run_text(with_order(""));
  EXPECT_EQ(raced.exit_code, 1) << raced.err;
  EXPECT_TRUE(contains(raced.err, "DEFECT  race-streams")) << raced.err;
  EXPECT_TRUE(contains(raced.err, "cudaMallocAsync")) << raced.err;
  const cli::ProgramRun ordered =
      run_text(with_order("  cudaEventRecord(given, a);\n  cudaStreamWaitEvent(b, given, 0);\n"));
  EXPECT_EQ(ordered.exit_code, 0) << ordered.err;
}

std::string with_callback(const std::string& counter, const std::string& wait) {
  return counter + R"(
void count(void*) { ++done; }
int main() {
  int *host, *device;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocHost(&host, 128), cudaMalloc(&device, 128);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 32; ++i) host[i] = i;
    void* block;
    cudaMallocAsync(&block, 128, stream);
    cudaMemcpyAsync(device, host, 128, cudaMemcpyHostToDevice, stream);
    cudaLaunchHostFunc(stream, count, nullptr);
    cudaFreeAsync(block, stream);
    )" + wait +
         R"(
  }
  cudaDeviceSynchronize();
  cudaFreeHost(host), cudaFree(device), cudaStreamDestroy(stream);
}
)";
}

TEST_F(StreamOrderOfPrograms, ComesFromACallbackOnlyIfThatCanSignalTheHost) {
  const cli::ProgramRun raced = run_text(with_callback("int done = 0;", ""));
  EXPECT_EQ(raced.exit_code, 1) << raced.err;
  EXPECT_TRUE(contains(raced.err, "DEFECT  race-host")) << raced.err;
  EXPECT_EQ(run_text(with_callback("int done = 0;", "cudaStreamSynchronize(stream);")).exit_code, 0);
  const cli::ProgramRun told = run_text(
      with_callback("#include <atomic>\nstd::atomic<int> done{0};", "while (done.load() <= round) {}"));
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_TRUE(contains(told.err, "no defect")) << told.err;
}

TEST_F(StreamOrderOfPrograms, IsCompleteWhereTheHostWaitsBeforeItDestroysStreamsOfTwoDevices) {
  const cli::ProgramRun waited = run_text(R"(
__global__ void number(int* x) { x[threadIdx.x] = threadIdx.x; }
int main() {
  int host[64], *x[2];
  cudaStream_t stream[2];
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    cudaMalloc(&x[device], sizeof host);
    cudaStreamCreateWithFlags(&stream[device], cudaStreamNonBlocking);
    number<<<1, 64, 0, stream[device]>>>(x[device]);
  }
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    cudaDeviceSynchronize();
    cudaMemcpy(host, x[device], sizeof host, cudaMemcpyDeviceToHost);
  }
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    cudaFree(x[device]), cudaStreamDestroy(stream[device]);
  }
}
)",
                                          {"--gpus", "2"});
  EXPECT_FALSE(contains(waited.err, "work-at-end")) << waited.err;
  EXPECT_TRUE(contains(waited.err, "no defect")) << waited.err;
}

TEST_F(StreamOrderOfPrograms, MayComeFromAnAtomicOfLibcu) {
  const cli::ProgramRun locked = run_text(R"(#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> lock_{0};
__global__ void count(int* total) {
  if (threadIdx.x > 0) return;
  while (lock_.exchange(1, cuda::memory_order_acquire)) {}
  *total += 1;
  lock_.store(0, cuda::memory_order_release);
}
int main() {
  int *total, host;
  cudaMalloc(&total, sizeof host);
  cudaMemset(total, 0, sizeof host);
  count<<<20, 64>>>(total);
  cudaMemcpy(&host, total, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  cudaFree(total);
}
)");
  EXPECT_EQ(locked.out, "20\n") << locked.err;
  EXPECT_EQ(locked.exit_code, 0) << locked.err;
}

TEST_F(StreamOrderOfPrograms, NamesAnEventThatIsRecordedBeforeTheWorkOrInTheStreamThatWaits) {
  const auto report_of = [&](const std::string& before, const std::string& after) {
    return run_text(
               "__global__ void give(int* p) { p[threadIdx.x] = 1; }\n"
               "__global__ void take(const int* p, int* q) { q[threadIdx.x] = p[threadIdx.x]; }\n"
               "int main() {\n  int *p, *q;\n  cudaStream_t s[2];\n  cudaEvent_t e;\n"
               "  for (auto& stream : s) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);\n"
               "  cudaEventCreate(&e);\n  cudaMalloc(&p, 128);\n  cudaMalloc(&q, 128);\n" +
               before + "\n  give<<<1, 32, 0, s[0]>>>(p);\n" + after +
               "\n  cudaStreamWaitEvent(s[1], e);\n  take<<<1, 32, 0, s[1]>>>(p, q);\n  cudaDeviceSynchronize();\n"
               "  cudaFree(p);\n  cudaFree(q);\n  cudaEventDestroy(e);\n"
               "  for (auto stream : s) cudaStreamDestroy(stream);\n}\n")
        .err;
  };
  const std::string record = "  cudaEventRecord(e, s[0]);";
  EXPECT_FALSE(contains(report_of("", record), "DEFECT"));
  const std::string early = report_of(record, "");
  EXPECT_TRUE(contains(early,
                       "order.cu:16: cudaStreamWaitEvent(s[1], e);\n    this waits for the event that is "
                       "recorded in line 13, before the work of line 14\n"))
      << early;
  EXPECT_TRUE(contains(early, "write: cudaEventRecord after line 14, not in line 13\n")) << early;
  const std::string own = report_of("", "  cudaEventRecord(e, s[1]);");
  EXPECT_TRUE(contains(own,
                       "this orders nothing: the stream waits for the event that is recorded in line 15 in "
                       "that stream itself\n"))
      << own;
  EXPECT_TRUE(contains(own, "write: cudaEventRecord in line 15 in the stream of line 14")) << own;
}

TEST_F(StreamOrderOfPrograms, ExplainsStoresAtIndicesThatAreReadTooEarly) {
  const cli::ProgramRun raced = run_text(R"(
__global__ void offsets(int* o) { o[threadIdx.x] = threadIdx.x; }
__global__ void scatter(const int* o, int* out) {
  out[o[threadIdx.x]] = threadIdx.x;
}
int main() {
  int *o, *out;
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMalloc(&o, 512);
  cudaMalloc(&out, 512);
  cudaMemset(o, 0, 512);
  cudaDeviceSynchronize();
  offsets<<<1, 128>>>(o);
  scatter<<<1, 128, 0, s>>>(o, out);
  cudaStreamSynchronize(s);
  cudaDeviceSynchronize();
  cudaFree(o);
  cudaFree(out);
  cudaStreamDestroy(s);
}
)");
  EXPECT_EQ(defects_of(raced), 1u) << raced.err;
  EXPECT_TRUE(contains(raced.err, "DEFECT  race-streams")) << raced.err;
  EXPECT_TRUE(contains(raced.err, "likely a consequence: race-global")) << raced.err;
}

TEST_F(StreamOrderOfPrograms, AsksWhereThePartOfEachStreamBeginsIfAllStreamsMakeBothCalls) {
  const auto copies_to = [](const std::string& destination) {
    return R"(
int main() {
  int *host, *device;
  cudaMallocHost(&host, 256), cudaMalloc(&device, 256);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  for (int part = 0; part < 2; ++part)
    cudaMemcpyAsync()" +
           destination + R"(, host + 32 * part, 128, cudaMemcpyHostToDevice, streams[part]);
  cudaDeviceSynchronize();
  for (cudaStream_t& stream : streams) cudaStreamDestroy(stream);
  cudaFree(device), cudaFreeHost(host);
})";
  };
  const cli::ProgramRun raced = run_text(copies_to("device"));
  EXPECT_TRUE(contains(raced.err, "DEFECT  race-streams")) << raced.err;
  EXPECT_TRUE(contains(raced.err, "if each stream has a part of its own")) << raced.err;
  EXPECT_FALSE(contains(run_text(copies_to("device + 32 * part")).err, "race-streams"));
}

TEST_F(StreamOrderOfPrograms, HoldsForTheLanesOfAWarp) {
  const cli::ProgramRun raced = run_text(R"(
__global__ void sum(int* out) {
  __shared__ int parts[64];
  parts[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 32) {
    parts[threadIdx.x] += parts[threadIdx.x + 2];
    parts[threadIdx.x] += parts[threadIdx.x + 1];
  }
  if (threadIdx.x == 0) *out = parts[0];
}
int main() {
  int* out;
  cudaMalloc(&out, 4);
  sum<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
)");
  EXPECT_TRUE(contains(raced.err, "the store and __syncwarp(); again, for each step of lines 9 to 10\n"))
      << raced.err;
}

}  // namespace
}  // namespace gpulab::program::runtime
