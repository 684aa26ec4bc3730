#include "program/runtime/cases_fixture.hpp"

// Mistakes on the host's side of a program. One program has a function for each mistake, and its argument
// chooses one; a comment marks the line that a finding must be about. The other programs are in their tests,
// and the number of their arguments, `count` or `argc`, chooses what they do.

namespace gpulab::program::runtime {
namespace {

const std::string host_program = source_text("tests/program/runtime/host_side.cu");

int line_marked(const std::string& comment) {
  const int line = line_of(host_program, "// " + comment);
  EXPECT_NE(line, -1) << comment;
  return line;
}

class HostSideTest : public cli::ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    std::ofstream(folder / "mistakes.cu") << host_program;
  }

  // Returns the pattern and the line of each finding, in their order: "race-host@34".
  std::vector<std::string> findings(const std::string& word) {
    report_ = run({"run", "mistakes.cu", "--", word}).err;
    std::vector<std::string> all;
    std::istringstream lines(report_);
    bool has_line = true;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("DEFECT") || line.starts_with("note  ")) {
        const std::size_t begin = line.find_first_not_of(' ', 6);
        all.push_back(line.substr(begin, line.find_first_of(" ,", begin) - begin));
        has_line = false;
      } else if (const std::string start = "  mistakes.cu:"; !has_line && line.starts_with(start)) {
        all.back() += "@" + line.substr(start.size(), line.find(':', start.size()) - start.size());
        has_line = true;
      }
    }
    return all;
  }

  // Returns the report on a program that copies `in` to `out` in eight launches, and adds up `out`. `size` is
  // what it allocates for `in`, and `arguments` are the first two of each launch.
  std::string report_on_pieces(const std::string& size, const std::string& arguments) const {
    write("pieces.cu", std::string(R"(
__global__ void copy(const int* in, int* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x]; }
__global__ void add_up(const int* in, int n, int* sum) { for (int i = 0; i < n; ++i) *sum += in[i]; }
int main() {
  const int n = 128;
  const size_t bytes = n * sizeof(int);
  int *x, *in, *out, *sum;
  cudaMallocHost(&x, )") + (size == "bytes" ? "" : "5 * ") +
                           R"(bytes);
  for (int i = 0; i < n; ++i) x[i] = i;
  cudaMalloc(&in, )" + size +
                           R"();
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  for (int i = 0; i < n; i += n / 8) {
    cudaMemcpyAsync(in + i, x + i, n / 8 * sizeof(int), cudaMemcpyHostToDevice);
    copy<<<1, 64>>>()" + arguments +
                           R"(, n / 8);
  }
  add_up<<<1, 1>>>(out, n, sum);
  cudaDeviceSynchronize();
}
)");
    return unwrapped(run({"run", "pieces.cu"}).err);
  }

  std::string report_;  // of the last call of findings()
};

// Returns a finding in the marked line, as findings() writes it.
std::string at(const std::string& pattern, const std::string& comment) {
  return pattern + "@" + std::to_string(line_marked(comment));
}

TEST_F(HostSideTest, FindsEachMistakeInItsLine) {
  const struct {
    const char* word;
    std::vector<std::string> findings;
  } mistakes[] = {
      {"read", {at("race-host", "reads too early")}},
      {"refill", {at("race-host", "refills too early")}},
      {"half", {at("race-host", "comes to the second half")}},
      {"fail", {at("race-host", "compares before the copy")}},
      {"managed", {at("race-host", "reads managed memory")}},
      {"destroyed", {at("race-host", "reads after destroying")}},
      {"variables",
       {at("device-variable-on-host", "assigns to level"), at("device-variable-on-host", "reads weights"),
        at("device-variable-on-host", "copies to a name"), at("device-variable-on-host", "gives a name")}},
      {"memcmp", {at("race-host", "compares too early")}},
      {"equal", {at("race-host", "looks for a difference")}},
      {"vector", {at("race-host", "constructs too early")}},
      {"copy", {at("race-host", "copies too early")}},
      {"fwrite", {at("race-host", "stores in a file")}},
      {"late flag", {at("race-host", "reads what no fence orders")}},
      {"late answers", {at("race-host", "reads an answer too early")}},
      {"swap", {at("grid-too-small", "swaps x and y")}},
      {"barrier", {at("missed-barrier", "keeps threads from")}},
      {"returned", {at("missed-barrier", "has lost threads")}},
      {"helper", {at("out-of-bounds", "passes the end")}},
      {"errors", {at("unchecked-error", "ignores an error")}},
      {"launch", {at("launch-failure", "launches too many")}},
      {"output", {at("output-lost", "speaks to nobody")}},
      {"leave", {at("stream-leak", "leaks streams"), at("event-leak", "leaks an event")}},
      {"count", {at("copy-size", "counts elements")}},
      {"floats", {at("memset-value", "sets bytes")}},
      {"copied", {at("memset-value", "sets bytes that are copied")}},
      {"shallow", {at("host-pointer", "copies a pointer")}},
      {"host", {at("host-pointer", "gives the host's memory")}},
      {"registered", {at("foreign-free", "deletes registered memory")}},
      {"locked", {at("race-host", "reads registered memory")}},
      {"moved", {at("race-host", "frees what a copy writes")}},
      {"allocate", {at("allocation-size", "allocates elements")}},
      {"outlive", {at("use-after-return", "gives a local variable")}},
      {"round", {at("grid-too-small", "rounds down")}},
      {"pitch", {at("pitch-ignored", "ignores the pitch")}},
      {"clock", {at("timing-without-waiting", "reads the clock")}},
  };
  for (const auto& mistake : mistakes) {
    const std::vector<std::string> found = findings(mistake.word);
    for (const std::string& expected : mistake.findings)
      EXPECT_NE(std::ranges::find(found, expected), found.end()) << mistake.word << ": " << expected << "\n"
                                                                 << report_;
  }
}

TEST_F(HostSideTest, FindsNothingInSeparateHalvesAFlagSplitRowsAndAFinishedWait) {
  for (const char* word : {"halves", "flag", "split", "wait"}) EXPECT_TRUE(findings(word).empty()) << report_;
}

// The parts of a program before and after a launch of twice, which should write the 1 000 elements of `y`.
constexpr const char* twice_begin = R"(
#include <vector>
__global__ void twice(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
int main() {
  const int n = 1000;
  std::vector<int> host(n, 1);
  int *x, *y;
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&y, n * sizeof(int));
  cudaMemcpy(x, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
)";
constexpr const char* twice_end = R"(
  cudaMemcpy(host.data(), y, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
}
)";

TEST_F(HostSideTest, SaysThatALaunchBeforeAReadWasGivenHostMemory) {
  EXPECT_TRUE(contains(report_on_pieces("bytes", "x + i, x + i"),
                       "and copy, launched in line 16, was given as many bytes of host memory"));
}

TEST_F(HostSideTest, AsksWhetherAnAllocationWithoutSizeofCountsElements) {
  const std::string question = "was the size counted in elements?";
  EXPECT_TRUE(contains(report_on_pieces("n", "in + i, out + i"), question));
  EXPECT_FALSE(contains(report_on_pieces("bytes / 3", "in + i, out + i"), question));
}

TEST_F(HostSideTest, BlamesALaunchThatLeavesOutElementsWhichTheHostCopies) {
  for (const char* launch : {"twice<<<n / 256, 256>>>(x, y, n);", "twice<<<n / 124, 124>>>(x, y, n);",
                             "twice<<<1, 256>>>(x, y, n);"}) {
    write("short.cu", std::string(twice_begin) + launch + twice_end);
    const cli::ProgramRun result = run({"run", "short.cu"});
    EXPECT_EQ(result.exit_code, 1) << launch;
    EXPECT_TRUE(contains(result.err, "DEFECT  grid-too-small\n")) << result.err;
    EXPECT_TRUE(contains(result.err, "  short.cu:15: cudaMemcpy(host.data(), y, ")) << result.err;
    EXPECT_TRUE(contains(result.err, "  short.cu:12: cudaMalloc(&y, ")) << result.err;
  }
}

TEST_F(HostSideTest, OnlyNotesACopyOfUnwrittenElementsThatMayBeMeant) {
  const struct {
    const char *body, *note;
  } programs[] = {
      {"twice<<<2, 256>>>(x, y, 512);", "the last 488, from element 512 of the 4 000 bytes"},
      {"twice<<<1, n - 1>>>(x, y, n);", "has 999 threads for 1 000 elements"},
      {"twice<<<4, 250>>>(x, x, n);", "all 1 000 elements, from element 0 of the 4 000 bytes"},
      {"twice<<<2, 256>>>(x, y + 488, 512);", "488 elements, the first is element 0 of the 4 000 bytes"}};
  for (const auto& program : programs) {
    write("part.cu", std::string(twice_begin) + program.body + twice_end);
    const cli::ProgramRun result = run({"run", "part.cu"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(contains(unwrapped(result.err), program.note)) << result.err;
  }
}

TEST_F(HostSideTest, ReportsACopyOfTheSizeOfAPointer) {
  write("pointer.cu", R"(
#include <cstdlib>
int main() {
  int *x, *host = (int*)malloc(400), pair[2];
  cudaMalloc(&x, 400);
  cudaMemset(x, 0, 400);
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  cudaMemcpy(pair, x, sizeof(pair), cudaMemcpyDeviceToHost);
  cudaMemset(x, 0, sizeof(x));
  cudaFree(x);
  free(host);
}
)");
  const cli::ProgramRun result = run({"run", "pointer.cu"});
  EXPECT_EQ(result.exit_code, 1);
  const std::string end =
      " is given sizeof of a pointer, which is 8 bytes; the memory has 400\n  pointer.cu:";
  EXPECT_TRUE(contains(result.err, "DEFECT  copy-size\ncudaMemcpy" + end + "7: ")) << result.err;
  EXPECT_TRUE(contains(result.err, "DEFECT  copy-size\ncudaMemset" + end + "9: ")) << result.err;
  EXPECT_FALSE(contains(result.err, "pointer.cu:8: ")) << result.err;
}

TEST_F(HostSideTest, NamesTheCallForMemoryOfTheDeviceInPlaceOfTheHosts) {
  for (const auto& [call, correction] :
       {std::pair("memcpy(x, values, 8)", "write: cudaMemcpy in place of memcpy, with cudaMemcpyDefault"),
        std::pair("memset(x, 0, 8)", "write: cudaMemset in place of memset"),
        std::pair("values[0] = x[1]", "write: cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost)")}) {
    write("host.cu", "int main() {\n  int *x, values[2] = {1, 2};\n  cudaMalloc(&x, 8);\n  " +
                         std::string(call) + ";\n  cudaFree(x);\n  return values[0];\n}\n");
    const std::string report = run({"run", "host.cu"}).err;
    EXPECT_TRUE(contains(report, "DEFECT  device-pointer-on-host")) << report;
    EXPECT_TRUE(contains(report, correction)) << report;
  }
}

TEST_F(HostSideTest, RefusesTheLaunchOfAKernelWithTooMuchSharedMemory) {
  write("large.cu", R"(
__global__ void k(float* a) {
  __shared__ float t[20000];
  t[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = t[threadIdx.x];
}
int main() {
  float* x;
  cudaMalloc(&x, 128);
  cudaMemset(x, 0, 128);
  k<<<1, 32>>>(x);
  cudaFree(x);
}
)");
  const cli::ProgramRun result = run({"run", "large.cu"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(
      contains(unwrapped(result.err), "80 000 bytes of static shared memory, and a block has at most 49 152"))
      << result.err;
  EXPECT_FALSE(contains(result.err, "terminate called")) << result.err;
}

TEST_F(HostSideTest, SaysNothingOfCopiesOfWrittenElementsWithPadding) {
  write("padded.cu", R"(
struct Pair { char tag; double value; };
__global__ void fill(Pair* pairs) {
  pairs[threadIdx.x].tag = 'x';
  pairs[threadIdx.x].value = 1;
}
int main() {
  Pair host[64], *pairs;
  void* others;
  cudaMalloc(&pairs, sizeof host);
  cudaMalloc(&others, sizeof host);
  fill<<<1, 64>>>(pairs);
  fill<<<1, 64>>>((Pair*)others);
  cudaMemcpy(host, pairs, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, others, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemset(others, 0, sizeof host);
  cudaMemcpy(host, others, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(pairs);
  cudaFree(others);
}
)");
  EXPECT_EQ(run({"run", "padded.cu"}).err,
            "padded.cu: no defect found in 2 launches and 12 calls of the runtime API\n");
}

TEST_F(HostSideTest, TellsAFullStackFromOneThatIsOverwritten) {
  write("stack.cu", R"(
#include <cstdio>
int deep(int n) { volatile char room[1000]; room[n % 1000] = 1; return deep(n + 1) + room[3]; }
void fill(int* a, int n) { for (int i = 0; i < n; ++i) a[i] = 0x41414141; }
int sum(int n) { int a[8]; fill(a, n); return a[3]; }
int main(int argc, char**) { printf("%d", argc > 1 ? deep(0) : sum(argc * 1000)); }
)");
  EXPECT_TRUE(contains(run({"run", "stack.cu", "--", "deep"}).err, "the host's stack is full: "));
  const std::string report = run({"run", "stack.cu"}).err;
  EXPECT_TRUE(contains(report, "DEFECT  host-crash\nthe program crashes, and its stack is overwritten"))
      << report;
}

TEST_F(HostSideTest, NamesAFunctionThatEndsWithoutItsReturn) {
  write("area.cu", R"(
#include <cstdio>
float area(float a, float b) {
  float c = a * b;
  if (c > 9) return c;
}
int main(int argc, char**) { printf("%g\n", area(argc * 4.0f, 3)); }
)");
  EXPECT_EQ(run({"run", "area.cu"}).out, "12\n");
  write("area.cu", R"(
#include <cstdio>
float area(float a, float b) { float c = a * b; }
__device__ int twice(int a) { a *= 2; }
__global__ void store(int* a) { a[0] = twice(a[0]); }
int main(int argc, char**) {
  int* a;
  cudaMalloc(&a, 4);
  cudaMemset(a, 0, 4);
  store<<<1, 1>>>(a);
  cudaDeviceSynchronize();
  printf("%g\n", area(argc, 3));
}
)");
  const std::string report = run({"run", "area.cu"}).err, text = " has a result, but ends without a return";
  EXPECT_TRUE(contains(report, "DEFECT  missing-return\nthe function in line 3" + text + "\n")) << report;
  EXPECT_TRUE(contains(report, "the function in line 4" + text + " in block 0")) << report;
  EXPECT_FALSE(contains(report, "host-crash")) << report;
}

TEST_F(HostSideTest, NamesTheLinesThatCallTheFunctionOfTheMistake) {
  write("sums.cuh", "inline float* room(int n) {\n  float* p;\n  cudaMalloc(&p, n);\n  return p;\n}\n");
  write("callers.cu", R"(#include <algorithm>
#include "sums.cuh"
static float* twice(int n) { return room(2 * n); }
int main() {
  float* a = twice(8);
  float* b = twice(8);
  int sizes[] = {4};
  std::for_each(sizes, sizes + 1, [](int n) {
    room(n);
  });
  cudaMemset(a, 0, 16);
  cudaMemset(b, 0, 16);
}
)");
  const std::string report = run({"run", "callers.cu"}).err;
  EXPECT_TRUE(contains(report,
                       "  sums.cuh:3: cudaMalloc(&p, n);\n"
                       "  callers.cu:3: static float* twice(int n) { return room(2 * n); }\n"
                       "    called from here\n"
                       "  callers.cu:5: float* a = twice(8);\n    called from here\nwrite: "))
      << report;
  EXPECT_TRUE(contains(report, "  callers.cu:6: float* b = twice(8);")) << report;
  EXPECT_TRUE(contains(report,
                       "  sums.cuh:3: cudaMalloc(&p, n);\n  callers.cu:9: room(n);\n    called from here\n"
                       "  callers.cu:8: std::for_each("))
      << "and no line of the library\n"
      << report;
  const std::string sarif = run({"run", "--strict", "callers.cu", "--format", "sarif"}).err;
  const nlohmann::json leak = nlohmann::json::parse(sarif)["runs"][0]["results"][1];  // behind a note
  EXPECT_EQ(leak["locations"][0]["physicalLocation"]["region"]["startColumn"], 3);
  EXPECT_EQ(leak["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"], "callers.cu");
  EXPECT_EQ(leak["relatedLocations"][0]["message"]["text"], "called from here");
}

TEST_F(HostSideTest, GoesOnWhereAGpuWouldAndElseNotesTheLaunchesThatDidNotRun) {
  write("ended.cu", R"(#include <cstdio>
__global__ void divide(int* a) { a[threadIdx.x] = 8 / (a[0] - a[0]); }
__global__ void wild(int* a) { a[1 << 28] = 1; }
__global__ void use(const int* a, int* b) { b[threadIdx.x] = a[threadIdx.x]; }
int main(int argc, char**) {
  int *a, *b;
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  cudaMemset(a, 0, 128);
  if (argc > 1) wild<<<1, 32>>>(a); else divide<<<1, 32>>>(b);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  use<<<1, 32>>>(b, a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
)");
  const cli::ProgramRun divided = run({"run", "ended.cu"});
  EXPECT_EQ(divided.out, "cudaSuccess\n");
  EXPECT_TRUE(contains(divided.err, "DEFECT  division-by-zero")) << divided.err;
  EXPECT_TRUE(contains(divided.err, "note  memory-leak")) << divided.err;
  EXPECT_FALSE(contains(divided.err, "line 4")) << "what the launch left out is not blamed\n" << divided.err;
  const cli::ProgramRun wild = run({"run", "ended.cu", "--", "wild"});
  EXPECT_EQ(wild.out, "cudaErrorIllegalAddress\n");
  EXPECT_TRUE(contains(wild.err, "note  launches-dropped\nfrom here on no kernel ran (launches: 1)"))
      << wild.err;
}

TEST_F(HostSideTest, RunsTheOtherBlocksAndTheQueuedLaunchesAfterAnIndexOutsideItsArray) {
  write("queued.cu", R"(#include <cstdio>
__global__ void over(int* out) {
  __shared__ int a[32];
  a[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = a[threadIdx.x + (blockIdx.x == 0)];
}
__global__ void await(int* out, volatile int* flag) {
  int a[4] = {1, 2, 3, 4};
  if (blockIdx.x > 0) while (*flag == 0) {}
  out[8 * blockIdx.x + threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x == 7) *flag = 1;
}
__global__ void fill(int* out) { out[threadIdx.x] = 7; }
int main(int argc, char**) {
  int *out, *flag, sums[64], seven = 0;
  cudaMalloc(&out, 256), cudaMalloc(&flag, 4), cudaMemset(flag, 0, 4), cudaDeviceSynchronize();
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t event;
  cudaEventCreate(&event);
  if (argc > 1) await<<<2, 8, 0, first>>>(out, flag); else over<<<2, 32, 0, first>>>(out);
  cudaMemcpyAsync(sums, out, 256, cudaMemcpyDeviceToHost, first);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event);
  fill<<<1, 1, 0, second>>>(flag);
  cudaStreamSynchronize(second);
  cudaMemcpy(&seven, flag, 4, cudaMemcpyDeviceToHost);
  printf("%d %d\n", argc > 1 ? 1 : sums[40], seven);
  cudaEventDestroy(event), cudaStreamDestroy(first), cudaStreamDestroy(second), cudaFree(out), cudaFree(flag);
}
)");
  for (const char* const kernel : {"over", "await"}) {
    std::vector<std::string> words = {"run", "queued.cu", "--"};
    if (kernel == std::string("await")) words.push_back(kernel);
    const cli::ProgramRun result = run(words);
    EXPECT_EQ(result.out, "1 7\n") << kernel;
    EXPECT_TRUE(contains(result.err, "DEFECT  array-index")) << kernel << result.err;
    EXPECT_TRUE(contains(result.err, "1 defect found in 2 launches")) << kernel << result.err;
  }
}

TEST_F(HostSideTest, ReportsAVirtualCallOnAnObjectThatTheHostHasMade) {
  write("shapes.cu", R"(#include <cstdio>
#include <new>
struct Shape { __host__ __device__ virtual float area() const = 0; };
struct Circle : Shape {
  float r;
  __host__ __device__ Circle(float r) : r(r) {}
  __host__ __device__ float area() const override { return 3 * r * r; }
};
__global__ void measure(const Shape* shape, float* area) { *area = shape->area(); }  // line 9
__global__ void renew(Circle* circle) { new (circle) Circle(circle->r + 1); }
int main(int argc, char**) {
  float *area, result;
  Circle here(2), *there;
  cudaMalloc(&area, sizeof(float)), cudaMalloc(&there, sizeof(Circle));
  cudaMemcpy(there, &here, sizeof(Circle), cudaMemcpyHostToDevice);
  if (argc > 1) renew<<<1, 1>>>(there);
  cudaMemcpy(&here, there, sizeof(Circle), cudaMemcpyDeviceToHost);
  const Shape* volatile shape = &here;
  printf("%g\n", shape->area());
  if (argc > 1) cudaMemcpy(there, &here, sizeof(Circle), cudaMemcpyHostToDevice);
  measure<<<1, 1>>>(there, area);
  if (cudaMemcpy(&result, area, sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess) printf("%g\n", result);
  cudaFree(there), cudaFree(area);
}
)");
  const cli::ProgramRun copied = run({"run", "shapes.cu"});
  EXPECT_EQ(copied.out, "12\n");
  EXPECT_TRUE(
      contains(copied.err, "DEFECT  host-pointer\ncudaMemcpy copies an object that the host has made"))
      << copied.err;
  EXPECT_TRUE(contains(copied.err, "  shapes.cu:15: cudaMemcpy(there, &here, ")) << copied.err;
  EXPECT_TRUE(contains(copied.err, "  shapes.cu:9: ")) << copied.err;
  const cli::ProgramRun made = run({"run", "shapes.cu", "--", "renew"});
  EXPECT_EQ(made.out, "27\n27\n")
      << "a kernel has made the object anew, also when it was copied back and forth";
  EXPECT_TRUE(contains(made.err, "no defect found")) << made.err;
}

TEST_F(HostSideTest, NamesTheCallThatFreedMemoryBeforeAKernelUsedIt) {
  const std::string report = run({"run", "mistakes.cu", "--", "freed"}).err;
  EXPECT_TRUE(contains(report, "use-after-free"));
  EXPECT_TRUE(contains(report, "it was freed here"));
}

TEST_F(HostSideTest, NamesTheHostsMemoryThatACopyGoesPastAndGoesOn) {
  write("past.cu", R"(#include <cstdio>
#include <cstdlib>
#include <vector>
int counts[10];
int main() {
  int* device;
  cudaMalloc(&device, 8000);
  cudaMemset(device, 0, 8000);
  std::vector<int> numbers(1000);
  cudaMemcpy(numbers.data(), device, 8000, cudaMemcpyDeviceToHost);
  int* block = static_cast<int*>(std::malloc(4000));
  cudaMemcpy(device, block + 1, 4000, cudaMemcpyHostToDevice);
  cudaMemcpy(counts, device, 400, cudaMemcpyDeviceToHost);
  int few[4] = {};
  cudaMemcpy(few, device, 4000, cudaMemcpyDeviceToHost);
  std::free(block);
  cudaFree(device);
  std::puts("the end");
}
)");
  const cli::ProgramRun ended = run({"run", "past.cu"});
  EXPECT_EQ(ended.out, "the end\n");
  for (const char* text :
       {"goes 4 000 bytes past the end of its destination, the 4 000 bytes that the host allocated",
        "past.cu:9: std::vector<int> numbers(1000);\n    the host allocated it here",
        "goes 4 bytes past the end of its source, byte 4 of the 4 000 bytes that the host allocated",
        "goes 360 bytes past the end of its destination, the variable counts of 40 bytes\n",
        "past.cu:15: cudaMemcpy(few, device, 4000, cudaMemcpyDeviceToHost);"})
    EXPECT_TRUE(contains(ended.err, text)) << text << "\n" << ended.err;
  EXPECT_TRUE(contains(ended.err, "4 defects found")) << ended.err;
}

TEST_F(HostSideTest, ReportsTheEndOfAProgramThatHasOverwrittenTheHeap) {
  write("heap.cu", R"(#include <cstdlib>
int main() {
  volatile long* const block = static_cast<long*>(std::malloc(100'000));
  block[-1] = 3;  // its size, which the C library keeps there
  std::free(const_cast<long*>(block));
}
)");
  const cli::ProgramRun ended = run({"run", "heap.cu"});
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_TRUE(contains(ended.err, "heap.cu: ")) << ended.err;
}

TEST_F(HostSideTest, NamesTheCallsOfCopiesAndSetsInARaceBetweenStreams) {
  write("streams.cu", R"(__global__ void add(int* a) { a[threadIdx.x] += 1; }
int main() {
  int *a, *host;
  cudaMalloc(&a, 128);
  cudaMallocHost(&host, 128);
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaMemsetAsync(a, 0, 128, first);
  add<<<1, 32, 0, second>>>(a);
  cudaMemcpyAsync(host, a, 128, cudaMemcpyDeviceToHost, first);
  cudaDeviceSynchronize();
}
)");
  const std::string report = run({"run", "streams.cu"}).err;
  EXPECT_TRUE(contains(
      report,
      "streams.cu:9: cudaMemsetAsync(a, 0, 128, first);\n    the memset is requested here, in stream 1"))
      << report;
}

TEST_F(HostSideTest, NamesBothLaunchesOfARaceBetweenStreams) {
  write("launches.cu", R"(__global__ void fill(int* a) { a[threadIdx.x] = 1; }
__global__ void twice(int* a) { a[threadIdx.x] *= 2; }
int main(int count, char**) {
  int* a;
  cudaStream_t first;
  cudaMalloc(&a, 128);
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  fill<<<1, 32, 0, first>>>(a);
  if (count == 1) twice<<<1, 32>>>(a);
  if (count == 2) fill<<<1, 32>>>(a);
  cudaStream_t second;
  cudaStreamCreate(&second);
  if (count > 2)
    for (cudaStream_t stream : {first, second}) twice<<<1, 32, 0, stream>>>(a);
  cudaDeviceSynchronize();
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(a);
}
)");
  const std::string two = run({"run", "launches.cu"}).err;
  EXPECT_TRUE(contains(
      two, "launches.cu:8: fill<<<1, 32, 0, first>>>(a);\n    kernel fill was launched here, in stream 1"))
      << two;
  EXPECT_TRUE(
      contains(two, "twice<<<1, 32>>>(a);\n    kernel twice was launched here, in the default stream"))
      << two;
  const std::string same = run({"run", "launches.cu", "--", "same"}).err;
  EXPECT_TRUE(contains(same, "launched here, in stream 1") &&
              contains(same, "launched here, in the default stream"))
      << same;
  const std::string loop = run({"run", "launches.cu", "--", "in", "loop"}).err;
  EXPECT_TRUE(contains(loop, "kernel twice was launched here, in streams 1 and 2")) << loop;
}

TEST_F(HostSideTest, FindsUnsetFloatsAtTheEndOfAVectorAndInACopy) {
  write("unset.cu", R"(struct Padded { double d; int i; };
__global__ void sum(const float4* x, float* out, int n) {
  float s = 0;
  for (int i = 0; i < n / 4; i++) {
    const float4 v = x[i];
    s += v.x + v.y + v.z + v.w;
  }
  *out = s;
}
__global__ void make(Padded* a) { a[threadIdx.x].d = 1; a[threadIdx.x].i = 2; }
__global__ void use(const Padded* a, float* out) { const Padded one = a[threadIdx.x]; *out = one.d + one.i; }
int main(int count, char**) {
  float host[97] = {}, *d, *copied, *out;
  cudaMalloc(&d, 400);
  cudaMalloc(&copied, 400);
  cudaMalloc(&out, 4);
  if (count < 3) cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice);
  if (count == 1) sum<<<1, 1>>>((float4*)d, out, 100);
  if (count == 3) make<<<1, 25>>>((Padded*)d);
  cudaMemcpy(copied, d, 400, cudaMemcpyDeviceToDevice);
  if (count == 2) sum<<<1, 1>>>((float4*)copied, out, 100);
  if (count == 3) use<<<1, 1>>>((Padded*)copied, out);
  cudaDeviceSynchronize();
  cudaFree(d);
  cudaFree(copied);
  cudaFree(out);
}
)");
  const std::string direct = run({"run", "unset.cu"}).err;
  EXPECT_TRUE(contains(direct, "DEFECT  uninitialised-global\ncudaMemcpy wrote only 388 of the 400 bytes"))
      << direct;
  EXPECT_TRUE(contains(direct, "element 97 of the 400 bytes")) << direct;
  const std::string copied = run({"run", "unset.cu", "--", "copied"}).err;
  EXPECT_TRUE(contains(
      copied,
      "unset.cu:20: cudaMemcpy(copied, d, 400, cudaMemcpyDeviceToDevice);\n    copied here from memory that nobody has written"))
      << copied;
  const std::string padded = run({"run", "unset.cu", "--", "padded", "structures"}).err;
  EXPECT_FALSE(contains(padded, "DEFECT")) << padded;
}

TEST_F(HostSideTest, RunsNamedBarriers) {
  write("barriers.cu", R"(#include <cstdio>
__global__ void meet(int* out, bool waits) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (waits) __barrier_sync_count(1 + threadIdx.x / 32, 32);
  const int there = s[threadIdx.x ^ 31];
  __barrier_sync(3);
  s[threadIdx.x] = there;
  __barrier_sync(0);
  out[threadIdx.x] = s[63 - threadIdx.x];
}
int main(int count, char**) {
  int *out, first;
  cudaMalloc(&out, 256);
  meet<<<1, 64>>>(out, count == 1);
  cudaMemcpy(&first, out, 4, cudaMemcpyDeviceToHost);
  printf("%d", first);
  cudaFree(out);
}
)");
  const cli::ProgramRun right = run({"run", "barriers.cu"});
  EXPECT_EQ(right.out, "32");
  EXPECT_TRUE(contains(right.err, "no defect found")) << right.err;
  EXPECT_TRUE(contains(run({"run", "barriers.cu", "--", "race"}).err, "race-shared"));
}

TEST_F(HostSideTest, ListsTheSizesThatLeakFromOneLine) {
  write("leaks.cu", R"(int main() {
  int *a, *b;
  cudaMalloc(&a, 256); cudaMalloc(&b, 512);
  for (int i = 0; i < 10; ++i)
    cudaMallocManaged(&a, 8);
}
)");
  const std::string report = run({"run", "leaks.cu"}).err;
  EXPECT_TRUE(contains(report, "768 bytes that cudaMalloc gave in 2 calls (")) << report;
  EXPECT_TRUE(contains(report, "80 bytes that cudaMallocManaged gave in 10 calls are never freed")) << report;
}

TEST_F(HostSideTest, NamesTheMemoryBesideWhichACopyOrASetBegins) {
  write("behind.cu", R"(int main(int count, char**) {
  float host[10] = {}, *d;
  cudaMalloc(&d, 400);
  cudaMemset(d, 0, 400);
  if (count == 1) cudaMemcpy(host, d + 100, 40, cudaMemcpyDeviceToHost);
  if (count == 2) cudaMemset(d + 105, 0, 40);
  if (count == 3) cudaMemcpy(d - 1, host, 40, cudaMemcpyDefault);
  if (count == 4) cudaMemset(d + 25 * sizeof(float), 0, 40);
  cudaFree(d);
}
)");
  const std::string beginning = "write: the pointer that cudaMalloc gave, from which 400 bytes fit\n";
  const std::pair<std::string, std::string> places[] = {
      {"cudaMemcpy begins its source just past the end of the 400 bytes that cudaMalloc gave in", beginning},
      {"cudaMemset begins its destination 20 bytes past the end of the 400 bytes that", beginning},
      {"cudaMemcpy begins its destination 4 bytes before the 400 bytes that cudaMalloc gave in", beginning},
      {"cudaMemset begins its destination just past the end of",
       "write: d + 25 in line 8, not d + 25 * sizeof(float): pointers count elements\n"}};
  std::vector<std::string> words{"run", "behind.cu", "--"};
  for (const auto& [place, correction] : places) {
    const cli::ProgramRun result = run(words);
    EXPECT_TRUE(contains(result.err, correction)) << result.err;
    EXPECT_TRUE(contains(result.err, "DEFECT  out-of-bounds\n" + place)) << result.err;
    EXPECT_FALSE(contains(result.err, "wrong-direction")) << result.err;
    words.push_back("more");
  }
}

TEST_F(HostSideTest, SuggestsAnAtomicForAnUpdateThatRaces) {
  write("updates.cu", R"(__global__ void add(const int* d, int* hist) {
  __shared__ int s[4];
  if (threadIdx.x < 4) s[threadIdx.x] = 0;
  __syncthreads();
  s[d[threadIdx.x] % 4]++;
  __syncthreads();
  if (threadIdx.x == 0) *hist = s[1];
}
__global__ void tree(const int* d, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = d[threadIdx.x];
  __syncthreads();
  for (int i = 32; i > 0; i /= 2)
    if (threadIdx.x < i) s[threadIdx.x] += s[threadIdx.x + i];
  if (threadIdx.x == 0) *out = s[0];
}
int main(int count, char**) {
  int *d, *out;
  cudaMalloc(&d, 256);
  cudaMalloc(&out, 4);
  cudaMemset(d, 0, 256);
  if (count == 1) add<<<1, 64>>>(d, out);
  if (count == 2) tree<<<1, 64>>>(d, out);
  cudaDeviceSynchronize();
  cudaFree(d);
  cudaFree(out);
}
)");
  const std::string updates = run({"run", "updates.cu"}).err;
  EXPECT_TRUE(contains(updates, "write: atomicAdd(&s[d[threadIdx.x] % 4], 1)\n")) << updates;
  const std::string tree = run({"run", "updates.cu", "--", "tree"}).err;
  EXPECT_TRUE(contains(tree, "race-shared")) << tree;
  EXPECT_FALSE(contains(tree, "atomic")) << "a barrier is missing, not an atomic" << tree;
}

TEST_F(HostSideTest, NamesTheBarrierThatIsMissingAtTheEndOfALoop) {
  write("tiles.cu", R"(__global__ void sums(const float* a, float* b) {
  __shared__ float tile[64];
  float sum = 0;
  for (int t = 0; t < 4; ++t) {
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += tile[j];
  }
  b[threadIdx.x] = sum;
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 256);
  cudaMalloc(&b, 256);
  cudaMemset(a, 0, 256);
  sums<<<1, 64>>>(a, b);
  cudaDeviceSynchronize();
}
)");
  const std::string report = run({"run", "tiles.cu"}).err;
  EXPECT_TRUE(
      contains(report,
               "tiles.cu:6: __syncthreads();\n    this barrier is passed; there is none between line 7 "
               "and line 5 of the next iteration of the loop"))
      << report;
  EXPECT_TRUE(contains(report, "write: __syncthreads(); at the end of the loop, which ends in line 8\n"))
      << report;
}

TEST_F(HostSideTest, LetsADestructorOfAKernelsArgumentCallTheRuntime) {
  write("buffer.cu", R"(struct Buffer {
  int* memory = nullptr;
  bool is_own = true;
  Buffer() { cudaMalloc(&memory, 1 << 20); }
  Buffer(const Buffer& other) : memory(other.memory), is_own(false) {}
  ~Buffer() { if (is_own) cudaFree(memory); else cudaGetLastError(); }
};
__global__ void fill(Buffer buffer) { buffer.memory[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main() {
  Buffer buffer;
  fill<<<1024, 256>>>(buffer);
  cudaDeviceSynchronize();
}
)");
  for (const char* option : {"--plain", "--strict"})
    EXPECT_EQ(run({"run", option, "buffer.cu"}).exit_code, 0) << option;
}

TEST_F(HostSideTest, FailsForARefusedLaunchUnlessSomethingUsesItsError) {
  write("looks.cu", R"(#include <cstdio>
#define DROP(call) (call)
#define KEEP(call) if ((call) != cudaSuccess) { puts("refused"); cudaGetLastError(); }
__global__ void k() {}
int main(int count, char**) {
  k<<<1, 2048>>>();
  cudaError_t error = cudaSuccess;
  if (count == 1) cudaGetLastError();
  if (count == 2) DROP(cudaGetLastError());
  if (count == 3) { cudaPeekAtLastError(); cudaGetLastError(); }
  if (count == 4) error = cudaGetLastError();
  if (count == 5) KEEP(cudaGetLastError());
  if (count == 6 && cudaPeekAtLastError() != cudaSuccess) cudaGetLastError();
  printf("%d", error);
})");
  std::vector<std::string> words{"run", "looks.cu", "--"};
  for (int count = 1; count <= 6; ++count, words.emplace_back("more")) {
    const cli::ProgramRun result = run(words);
    EXPECT_EQ(result.exit_code, count <= 3 ? 1 : 0) << count << result.err;
    EXPECT_EQ(contains(result.err, "DEFECT  launch-failure\nthe launch of k was refused"), count <= 3)
        << count << result.err;
  }
}

TEST_F(HostSideTest, FailsForAFailedCallWhoseErrorAMacroDrops) {
  write("drops.cu", R"(#define DROP(call) (call)
int main() {
  void* memory;
  DROP(cudaMalloc(&memory, size_t(1) << 60));
  cudaGetLastError();
})");
  const cli::ProgramRun result = run({"run", "drops.cu"});
  EXPECT_TRUE(contains(result.err, "DEFECT  unchecked-error\n")) << result.err;
  EXPECT_TRUE(contains(result.err, "drops.cu:4: DROP(")) << result.err;
}

TEST_F(HostSideTest, StopsACopyAtTheEndOfASmallArrayAndOfALocalOne) {
  write("ends.cu", R"(#include <cstdio>
#include <cstdlib>
int main() {
  int* device;
  cudaMalloc(&device, 440);
  cudaMemset(device, 1, 440);
  int* small = (int*)malloc(40);
  cudaMemcpy(small, device, 400, cudaMemcpyDeviceToHost);
  int local[4];
  cudaMemcpy(local, device, 32, cudaMemcpyDeviceToHost);
  int* rows = (int*)malloc(48);
  cudaMemcpy2D(rows, 16, device, 16, 16, 20, cudaMemcpyDeviceToHost);
  delete[] new int[5];
  int* tiny = new int[3];
  cudaMemcpy(tiny + 1, device, 16, cudaMemcpyDeviceToHost);
  printf("%d", small[9] + local[3] + rows[11]);
  delete[] tiny;
  free(rows);
  free(small);
  cudaFree(device);
})");
  const cli::ProgramRun result = run({"run", "ends.cu"});
  EXPECT_EQ(result.out, std::to_string(3 * 0x01010101)) << result.err;
  EXPECT_TRUE(contains(result.err, "goes 360 bytes past the end of its destination, the 40 bytes that"));
  EXPECT_TRUE(contains(result.err, "goes 272 bytes past the end of its destination, the 48 bytes that"));
  EXPECT_TRUE(contains(result.err, "ends.cu:7: int* small = (int*)malloc(40);\n    the host allocated it"));
  EXPECT_TRUE(contains(result.err, "goes 8 bytes past the end of its destination, byte 4 of the 12 bytes"));
  EXPECT_TRUE(contains(result.err, "ends.cu:14: int* tiny = new int[3];\n    the host allocated it"));
#ifndef __clang__
  EXPECT_TRUE(contains(result.err, "goes 16 bytes past the end of its destination, the 16 bytes of a"));
  EXPECT_TRUE(contains(result.err, "ends.cu:10: cudaMemcpy(local, "));
#endif
  EXPECT_TRUE(contains(result.err, "ends.cu: 4 defects")) << result.err;
}

TEST_F(HostSideTest, FailsForALaneThatABranchKeepsFromAShuffleButNotForOneThatHasReturned) {
  write("lanes.cu", R"(#include <cstdio>
__device__ int from_20(int value) { return __shfl_sync(0xffffffff, value, 20); }
__global__ void branch(int* out) {
  int value = threadIdx.x;
  if (value < 16) value = __shfl_sync(0xffffffff, value, 20);
  out[threadIdx.x] = value;
}
__global__ void helper(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = from_20(threadIdx.x);
}
__global__ void returned(int* out, int n) {
  if (threadIdx.x >= n) return;
  const int next = __shfl_down_sync(0xffffffff, threadIdx.x, 1);
  out[threadIdx.x] = threadIdx.x + 1 < n ? next : 0;
}
template <class T>
__global__ void sum(T* out, int n) {
  if (threadIdx.x >= n) return;
  T value = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);
  if (threadIdx.x == 0) atomicAdd(out, value);
}
__global__ void masked(int* out, int n) {
  const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < n);
  if (threadIdx.x >= n) return;
  int value = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) {
    const int theirs = __shfl_down_sync(mask, value, d);
    if (threadIdx.x + d < n) value += theirs;
  }
  out[threadIdx.x] = value;
}
__global__ void half(int* out) {
  int value = threadIdx.x;
  if (value < 16) value += __shfl_xor_sync(0xffffffff, value, 8);
  out[threadIdx.x] = value;
}
int main(int count, char**) {
  int* out;
  cudaMalloc(&out, 128);
  cudaMemset(out, 0, 128);
  if (count == 5) sum<<<1, 32>>>((float*)out, 20);
  if (count == 6) sum<<<1, 32>>>(out, 20);
  if (count == 7) masked<<<1, 32>>>(out, 20);
  if (count == 1) branch<<<1, 32>>>(out);
  if (count == 4) half<<<1, 32>>>(out);
  if (count == 2) helper<<<1, 32>>>(out);
  if (count == 3) returned<<<1, 32>>>(out, 16);
  cudaDeviceSynchronize();
  cudaFree(out);
})");
  const auto run_with_count = [&](int count) {  // which chooses the kernel
    std::vector<std::string> words{"run", "lanes.cu", "--"};
    for (int word = 1; word < count; ++word) words.emplace_back("more");
    return run(words);
  };
  for (const int count : {1, 2, 3}) {  // branch, helper and returned
    const cli::ProgramRun result = run_with_count(count);
    const bool is_defect = count < 3;
    EXPECT_EQ(result.exit_code, is_defect ? 1 : 0) << result.err;
    EXPECT_TRUE(contains(result.err, is_defect ? "DEFECT  wrong-mask, 16 times\n" : "note  wrong-mask\n"))
        << result.err;
    EXPECT_TRUE(contains(result.err, "which never comes to that line")) << result.err;
  }
  for (const int count : {5, 6}) {  // sums of floats and of integers
    const cli::ProgramRun result = run_with_count(count);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(contains(result.err, "lanes 20 to 31 of the mask 0xffffffff have ended")) << result.err;
    EXPECT_TRUE(contains(result.err, "stored in line 21 depends on it")) << result.err;
    EXPECT_TRUE(
        contains(result.err, "lanes.cu:18: if (threadIdx.x >= n) return;\n    lanes that return here"));
    EXPECT_TRUE(contains(result.err, "lanes.cu: 1 defect")) << result.err;
  }
  const cli::ProgramRun masked = run_with_count(7);
  EXPECT_FALSE(contains(masked.err, "DEFECT")) << masked.err;
  EXPECT_FALSE(contains(masked.err, "wrong-mask")) << masked.err;
  const cli::ProgramRun half = run_with_count(4);
  EXPECT_TRUE(contains(half.err, "DEFECT  absent-lanes")) << half.err;
  EXPECT_TRUE(contains(half.err, "for lanes 16 to 31 of the mask\n  0xffffffff, which end without it"))
      << half.err;
}

TEST_F(HostSideTest, SaysWhereAKernelTookHeapMemoryThatNobodyFrees) {
  write("heap.cu", R"(struct Node { int value; };
__global__ void build(Node** list) {
  list[threadIdx.x] = new Node{3};
  int* copy = (int*)malloc(40);
  copy[0] = list[threadIdx.x]->value;
  if (threadIdx.x == 0 && copy[0] == 3) free(copy);
}
int main() {
  Node** list;
  cudaMalloc(&list, 32 * sizeof *list);
  build<<<1, 32>>>(list);
  cudaDeviceSynchronize();
  cudaFree(list);
})");
  const cli::ProgramRun result = run({"run", "heap.cu"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.err, "note  memory-leak\n128 bytes that a kernel takes here")) << result.err;
  EXPECT_TRUE(contains(result.err, "heap.cu:3: list[threadIdx.x] = new Node{3};")) << result.err;
  EXPECT_TRUE(contains(result.err, "1 240 bytes that a kernel takes here")) << result.err;
}

TEST_F(HostSideTest, FindsAFlagThatAKernelRaisesWithoutAFence) {
  write("flag.cu", R"(#include <cstdio>
#include <cuda/atomic>
struct Box {
  int data[64];
  volatile int flag;
  cuda::atomic<int, cuda::thread_scope_system> atomic_flag;
};
__global__ void give(Box* box, char how) {
  box->data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x > 0) return;
  if (how == 'f') __threadfence_system();
  if (how == 'r') box->atomic_flag.store(1, cuda::memory_order_release);
  if (how == 'x') box->atomic_flag.store(1, cuda::memory_order_relaxed);
  box->flag = 1;
}
int main(int, char** words) {
  Box* box;
  cudaHostAlloc(&box, sizeof *box, cudaHostAllocMapped);
  box->flag = 0;
  box->atomic_flag.store(0);
  give<<<1, 64>>>(box, words[1][0]);
  if (words[1][0] == 'r' || words[1][0] == 'x')
    while (box->atomic_flag.load(cuda::memory_order_acquire) == 0) {}
  else
    while (box->flag == 0) {}
  printf("%d\n", box->data[5]);
  cudaDeviceSynchronize();
  cudaFreeHost(box);
})");
  for (const std::string how : {"none", "fence", "release", "x"}) {
    const cli::ProgramRun result = run({"run", "flag.cu", "--", how});
    EXPECT_EQ(result.out, "5\n");
    const bool is_right = how == "fence" || how == "release";
    EXPECT_EQ(result.exit_code, is_right ? 0 : 1) << how << ": " << result.err;
    EXPECT_EQ(contains(result.err, "write: __threadfence_system() before line 1"), !is_right) << result.err;
  }
}

TEST_F(HostSideTest, SaysHowManyThreadsABlockMayHave) {
  write("large.cu", R"(__global__ void large() {}
int main() {
  large<<<1, 2048>>>();
  cudaDeviceSynchronize();
})");
  EXPECT_TRUE(
      contains(run({"run", "large.cu"}).err, "write: at most 1 024 threads in a block, and more blocks"));
  write("large.cu", R"(__global__ void large() {}
int main() {
  large<<<256, 2048>>>();
  cudaDeviceSynchronize();
})");
  EXPECT_TRUE(contains(run({"run", "large.cu"}).err, "and more blocks: are blocks and threads exchanged?"));
}

TEST_F(HostSideTest, SaysWhereAnUncaughtExceptionIsThrown) {
  write("throws.cu", R"(#include <stdexcept>
#include <vector>
void thrown() { throw std::runtime_error("no"); }
int main() {
  std::vector<int> destroyed(3);
  thrown();
  destroyed.clear();
})");
  const cli::ProgramRun result = run({"run", "throws.cu"});
  EXPECT_TRUE(contains(result.err, "throws.cu:3: void thrown() { throw")) << result.err;
}

TEST_F(HostSideTest, RefusesALaunchWithMoreThreadsThanTheKernelsBounds) {
  write("bounds.cu", R"(#include <cstdio>
constexpr int most = 64;
__global__ void __launch_bounds__(most * 2, 4) named() {}
template <int N>
__global__ __launch_bounds__(N) void made() {}
extern "C" __global__ void __launch_bounds__(96) plain() {}
__global__ void __launch_bounds__(128)
    in_two_lines() {}
__global__ void free_of_bounds() {}
template <class Kernel>
void show(Kernel* kernel) {
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel);
  const int most = attributes.maxThreadsPerBlock;
  int grid = 0, block = 0;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
  kernel<<<1, most>>>();
  const cudaError_t at_most = cudaGetLastError();
  kernel<<<1, most + 1>>>();
  printf("%d %d %d %s\n", most, block <= most, at_most, cudaGetErrorName(cudaGetLastError()));
}
int main() {
  show(named);
  show(made<32>);
  show(plain);
  show(in_two_lines);
  show(free_of_bounds);
})");
  const cli::ProgramRun watched = run({"run", "bounds.cu"});
  EXPECT_EQ(watched.out,
            "128 1 0 cudaErrorInvalidValue\n32 1 0 cudaErrorInvalidValue\n96 1 0 cudaErrorInvalidValue\n"
            "128 1 0 cudaErrorInvalidValue\n1024 1 0 cudaErrorInvalidConfiguration\n")
      << watched.err;
  EXPECT_EQ(run({"run", "--plain", "bounds.cu"}).out, watched.out);
}

TEST_F(HostSideTest, SaysWhatToChangeWhereALaunchHasMoreThreadsThanTheKernelsBounds) {
  write(
      "over.cu",
      "__global__ void __launch_bounds__(128) k() {}\nint main() { k<<<1, 256>>>(); cudaDeviceSynchronize(); }\n");
  EXPECT_TRUE(contains(
      unwrapped(run({"run", "over.cu"}).err),
      "write: at most 128 threads in a block, or in __launch_bounds__ a larger number, up to 1 024\n"));
}

TEST_F(HostSideTest, NamesTheLineOfAKernelThatReturnsAValue) {
  write("value.cu", "\n__global__ int bad(int* x) { return *x; }\nint main() { bad<<<1, 1>>>(nullptr); }\n");
  const cli::ProgramRun result = run({"run", "value.cu"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_TRUE(contains(result.err, "value.cu does not compile: line 2 has a kernel that is not void: write __global__ void"))
      << result.err;
}

TEST_F(HostSideTest, FailsForABarrierInABranchButNotForOneAfterAReturn) {
  EXPECT_EQ(run({"run", "mistakes.cu", "--", "barrier"}).exit_code, 1);
  EXPECT_EQ(run({"run", "mistakes.cu", "--", "returned"}).exit_code, 0);
  EXPECT_EQ(run({"run", "mistakes.cu", "--", "split"}).exit_code, 9) << "the program's own";
  EXPECT_EQ(run({"run", "mistakes.cu", "--", "swap"}).exit_code, 1);
}

TEST_F(HostSideTest, NamesTheCallerOfALaunchAndTheCallThatAllocated) {
  const std::string report = run({"run", "mistakes.cu", "--", "helper"}).err;
  const std::string caller = std::to_string(line_marked("launches in a helper"));
  EXPECT_TRUE(contains(report, "  mistakes.cu:" + caller + ":"));
  EXPECT_TRUE(
      contains(report, "if (std::strcmp(one.name, words[1]) == 0) one.function();\n    called from here"));
  EXPECT_TRUE(contains(report, "that cudaHostAlloc gave"));
}

TEST_F(HostSideTest, BlamesNoGridForAWrongGuard) {
  write("transpose.cu", R"(__global__ void transpose(const float* in, float* out, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  if (x < w && y < h) out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 24000);
  cudaMalloc(&out, 24000);
  cudaMemset(in, 0, 24000);
  transpose<<<dim3(4, 2), dim3(32, 32)>>>(in, out, 100, 60);
  cudaDeviceSynchronize();
}
)");
  const std::string report = run({"run", "transpose.cu"}).err;
  EXPECT_TRUE(contains(report, "DEFECT  uninitialised-shared")) << report;
  EXPECT_FALSE(contains(report, "grid-too-small")) << report;
}

TEST_F(HostSideTest, ReportsTheRaceAndNotTheEarlyReadThatItCauses) {
  write("early.cu", R"(__global__ void produce(int* x) { x[threadIdx.x] = 1; }
__global__ void consume(const int* x, const int* z, int* y) {
  y[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] += z[threadIdx.x];
}
int main() {
  int *x, *y, *z;
  cudaMalloc(&x, 128);
  cudaMalloc(&y, 128);
  cudaMalloc(&z, 128);
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  produce<<<1, 32, 0, first>>>(x);
  consume<<<1, 32, 0, second>>>(x, z, y);
  cudaStreamSynchronize(second);
  cudaDeviceSynchronize();
}
)");
  const std::string report = run({"run", "early.cu"}).err;
  EXPECT_TRUE(contains(report, "race between streams: kernel consume reads element 0")) << report;
  EXPECT_TRUE(contains(report, "reads 4 bytes in line 4")) << "nobody writes z\n" << report;
  EXPECT_FALSE(contains(report, "reads 4 bytes in line 3")) << report;
}

TEST_F(HostSideTest, NamesTheStreamsOfMemoryThatIsFreedBeforeItsKernelHasRun) {
  write("freed.cu", R"(__global__ void fill(int* x) { x[threadIdx.x] = 1; }
int main(int argc, char**) {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  int* x;
  cudaMallocAsync(&x, 128, a);
  cudaStreamSynchronize(a);
  fill<<<1, 32, 0, b>>>(x);
  cudaFreeAsync(x, argc == 1 ? a : argc == 2 ? b : 0);
  cudaDeviceSynchronize();
}
)");
  const std::string report = unwrapped(run({"run", "freed.cu"}).err);
  EXPECT_TRUE(contains(report, "it was launched before that, but in another stream")) << report;
  EXPECT_FALSE(contains(run({"run", "freed.cu", "--", "b"}).err, "use-after-free"));
  EXPECT_FALSE(contains(run({"run", "freed.cu", "--", "the", "default"}).err, "use-after-free"))
      << "it waits for other streams";
}

TEST_F(HostSideTest, SaysThatTheDestructorOfACopyFreesTheMemory) {
  write("copies.cu", R"(struct Array {
  float* p;
  Array() { cudaMalloc(&p, 400); }
  ~Array() { cudaFree(p); }
};
void use(Array) {}
int main() {
  Array a;
  use(a);
}
)");
  const std::string report = run({"run", "copies.cu"}).err;
  EXPECT_TRUE(contains(report, "write: Type(const Type&) = delete: a copy of the object frees")) << report;
}

TEST_F(HostSideTest, ExplainsAnArrayOfArgumentsWithoutTheirAddresses) {
  write("arguments.cu", R"(__global__ void fill(int* x, int n) { x[threadIdx.x] = n; }
int main() {
  int *x, n = 3;
  cudaMalloc(&x, 128);
  void* arguments[] = {x, &n};
  cudaLaunchKernel((const void*)fill, dim3(1), dim3(32), arguments, 0, 0);
  cudaDeviceSynchronize();
}
)");
  const std::string report = run({"run", "arguments.cu"}).err;
  EXPECT_TRUE(contains(report, "write: void* arguments[] = {&pointer, &count}")) << report;
}

TEST_F(HostSideTest, NotesAWaitForAnEventThatIsRecordedLaterOnlyIfNobodyWaitsAgain) {
  write("events.cu", R"(int main(int argc, char**) {
  cudaEvent_t event;
  cudaEventCreate(&event);
  for (int i = 0; i < argc; ++i) {
    cudaEventSynchronize(event);
    cudaEventRecord(event);
  }
  cudaEventDestroy(event);
}
)");
  EXPECT_TRUE(contains(run({"run", "events.cu"}).err, "note  event-never-recorded"));
  EXPECT_FALSE(contains(run({"run", "events.cu", "--", "again"}).err, "event-never-recorded"));
}

TEST_F(HostSideTest, RunsAKernelThatWaitsForTheHostWhileTheHostQueriesAnEvent) {
  write("served.cu", R"(#include <cstdio>
__global__ void serve(volatile int* flag) {
  while (flag[0] == 0) {}
  flag[1] = 1;
}
__global__ void nothing() {}
int main(int argc, char**) {
  volatile int* flag;
  cudaMallocHost((void**)&flag, 8);
  flag[0] = flag[1] = 0;
  cudaEvent_t event;
  cudaEventCreate(&event);
  if (argc > 1) nothing<<<1, 1>>>(), cudaEventRecord(event), cudaEventSynchronize(event);
  serve<<<1, 1>>>((volatile int*)flag);
  for (int i = 0; i < 1000; ++i) cudaEventQuery(event);
  flag[0] = 1;
  for (int i = 0; flag[1] == 0 && i < 10000000; ++i) cudaEventQuery(event);
  printf("%d\n", flag[1]);
  cudaDeviceSynchronize();
  cudaEventDestroy(event), cudaFreeHost((void*)flag);
}
)");
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{"run", "served.cu"}, Words{"run", "served.cu", "--", "recorded"}}) {
    const cli::ProgramRun result = run(words);
    EXPECT_EQ(result.out, "1\n");
    EXPECT_TRUE(contains(result.err, "no defect found")) << result.err;
  }
}

TEST_F(HostSideTest, ReportsAUseAfterFreeOnceWhereAKernelAndACopyShareALine) {
  write("line.cu", R"(__global__ void add(int* x) { x[threadIdx.x] += 1; }
int main() {
  int *x, host[32];
  cudaMalloc(&x, 128);
  cudaFree(x);
  add<<<1, 32>>>(x); cudaMemcpy(host, x, 128, cudaMemcpyDeviceToHost);
}
)");
  const std::string report = run({"run", "line.cu"}).err;
  EXPECT_TRUE(contains(report, "DEFECT  use-after-free, 2 times")) << report;
  EXPECT_FALSE(contains(report, "illegal-address")) << report;
}

}  // namespace
}  // namespace gpulab::program::runtime
