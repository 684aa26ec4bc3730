#include <linux/filter.h>
#include <linux/seccomp.h>
#include <cerrno>
#include <chrono>
#include <regex>
#include <thread>

#include "cli/program_options.hpp"
#include "program/toolkit_headers.hpp"
#include "sandbox/sandbox.hpp"
#include "terminal_fixture.hpp"
#include "test.hpp"

// Options, output and exit codes of gpulab run. tests/program has what it finds in programs.

namespace gpulab::cli {
namespace {

const std::string doubles = source_text("tests/cli/doubles.cu");

class Run : public TerminalTest {
 protected:
  void SetUp() override {
    TerminalTest::SetUp();
    write("twice.cu", doubles);
  }
};

TEST_F(Run, GivesTheProgramItsInputArgumentsFilesAndExitCode) {
  const ProgramRun ended = run({"run", "-D", "FACTOR=2", "twice.cu"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out, "8 \nclosed\n") << "it cannot open files outside its folder";
  EXPECT_EQ(read(folder / "result.txt"), "8");
  EXPECT_EQ(run({"run", "-D", "FACTOR=2", "twice.cu", "--", "fail"}).exit_code, 7);
  EXPECT_EQ(run({"run", "-D", "FACTOR=2", "--plain", "twice.cu", "--", "leak"}).exit_code, 0);
}

TEST_F(Run, TakesTheOptionsOfNvccAndNamesThoseWithoutAnEffect) {
  write("span.cu", "#include <span>\nint main() { int a[7]; return std::span(a).size() == N ? 5 : 6; }\n");
  const ProgramRun ended =
      run({"run", "-O3", "-std=c++20", "-arch=sm_80", "-gencode", "arch=compute_90,code=sm_90", "-D", "N=7",
           "-lineinfo", "span.cu", "-o", "span", "-Xcompiler", "-O3,-fopenmp", "-lm", "-lcublas", "-dc"});
  EXPECT_EQ(ended.exit_code, 5) << ended.err;
  EXPECT_TRUE(ended.err.starts_with(
      "gpulab: ignored: -gencode arch=compute_90,code=sm_90 (the simulated device is sm_80), -o span ("))
      << ended.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "span"));
  EXPECT_FALSE(contains(ended.err, "--output"));
  EXPECT_TRUE(contains(run({"run", "-DN=7", "span.cu", "-o", "report.xml"}).err,
                       "no file is written; for the report, write --output report.xml)"));
  EXPECT_EQ(run({"run", "-std", "c++14", "-DN=7", "span.cu"}).exit_code, 3) << "C++17 has no std::span";
}

TEST_F(Run, TakesWordsOfNvccInAFileAndItsNumberOfThreads) {
  write("five.cu", "int main() { return N; }\n");
  write("words", "-O3\n-DN=5 -t 4\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-optf", "words"}, {"--options-file=words"}, {"-t0", "--run", "-DN=5"}}) {
    std::vector<std::string> all{"run", "five.cu"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramRun ended = run(all);
    EXPECT_EQ(ended.exit_code, 5) << words.front() << ": " << ended.err;
    EXPECT_FALSE(contains(ended.err, "ignored")) << ended.err;
  }
  expect_refusal({"run", "five.cu", "-optf", "none"}, 2, "none");
  expect_refusal({"five.cu"}, 2, "'five.cu' is a file; run it: gpulab run five.cu");
  expect_refusal({"run", "--inspect", "--gpu", "t4,h100", "five.cu"}, 2,
                 "gpulab estimate LESSON compares GPUs");
}

TEST_F(Run, SaysThatInspectedAccessesAreNotWatched) {
  write("outside.cu",
        "__global__ void k(int* x) { x[threadIdx.x] = 1; }\nint main() {\n  int* x;\n  cudaMalloc(&x, 100);\n"
        "  k<<<1, 32>>>(x);\n  cudaFree(x);\n}\n");
  EXPECT_TRUE(
      contains(run({"run", "--inspect", "outside.cu"}).err, "accesses were counted, and not watched"));
}

TEST_F(Run, EndsWithOneAndNamesTheFaultThatEndsTheCounting) {
  write("fault.cu",
        "__global__ void good(int* x) { x[threadIdx.x] = 1; }\n"
        "__global__ void bad(int* x) { x[threadIdx.x + 100000] = 1; }\n"
        "int main() {\n  int* x;\n  cudaMalloc(&x, 512);\n  good<<<1, 128>>>(x);\n"
        "  bad<<<1, 128>>>(x);\n  good<<<1, 128>>>(x);\n  cudaDeviceSynchronize();\n}\n");
  const ProgramRun counted = run({"run", "--inspect", "fault.cu"});
  EXPECT_EQ(counted.exit_code, 1);
  EXPECT_TRUE(contains(counted.err, "kernel bad, launched in line 7: out of bounds")) << counted.err;
  EXPECT_TRUE(contains(counted.err, "no kernel ran (launches: 1)")) << counted.err;
  EXPECT_EQ(run({"run", "--inspect", "--format", "junit", "fault.cu"}).exit_code, 1);
}

TEST_F(Run, ShowsTheFindingsIfTheirFileCannotBeWritten) {
  write("zero.cu", "__global__ void k(int* x) { *x = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n");
  const ProgramRun full = run({"run", "--output", "/dev/full", "zero.cu"});
  EXPECT_EQ(full.exit_code, 4);
  EXPECT_TRUE(contains(full.err, "DEFECT  null-pointer") || contains(full.err, "DEFECT  out-of-bounds"))
      << full.err;
}

TEST_F(Run, ShowsTheContextOfErrorsButNotOfWarningsThatItLeavesOut) {
  const std::string warned =
      "template <class T> T first() { T value; return value; }\nint used() { return first<int>(); }\n";
  write("warned.cu", warned + "int missing();\nint main() { return missing(); }\n");
  EXPECT_FALSE(contains(run({"run", "warned.cu"}).err, "required from here"));
  write("wrong.cu",
        "template <class T> T first() { return T::none; }\nint main() { return first<int>(); }\n");
  EXPECT_TRUE(contains(run({"run", "wrong.cu"}).err, "wrong.cu:2:"));
}

TEST_F(Run, WritesTheFormatThatTheNameOfItsReportSays) {
  const ProgramRun ended = run({"run", "-D", "FACTOR=2", "twice.cu", "--output", "report.json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(read(folder / "report.json")).at("schema"), "gpulab.program");
  expect_refusal({"run", "twice.cu", "--output", "report.csv"}, 2,
                 "it writes .json, .sarif, .xml, and text under other names");
}

TEST_F(Run, SaysThatALibraryIsMissing) {
  write("empty.cu", "int main() {}\n");
  expect_refusal({"run", "empty.cu", "-lnowhere", "-L", "."}, 3, "there is no library nowhere; -L says");
}

TEST_F(Run, NamesAMissingLibraryThatIsUsedAndTheCommandForAGpu) {
  write("sparse.cu", R"(#include <cusparse.h>
#include <thrust/device_vector.h>
#define CHECKED(call) cusparseStatus_t status = call
#ifdef SPARSE
cusparseHandle_t handle;
#endif
int main() {}
)");
  EXPECT_EQ(run({"run", "sparse.cu"}).exit_code, 0) << "nothing of cuSPARSE is used";
  expect_refusal({"run", "-O3", "-D", "SPARSE", "sparse.cu", "--", "a b"}, 3,
                 "sparse.cu, line 5: the simulated device does not have cuSPARSE (cusparseHandle_t); with a "
                 "GPU, this runs it there: gpulab run --device cuda -O3 -D SPARSE sparse.cu -- 'a b'");
}

TEST_F(Run, SaysWhichFunctionNoneOfTheFilesDefines) {
  write("a.cu", "void launch(float* x, int n);\nint main() {\n  launch(nullptr, 3);\n}\n");
  expect_refusal(
      {"run", "a.cu"}, 3,
      "a.cu does not link: launch(float*, int) is used in a.cu, line 3, but none of the given files "
      "defines it; is another source file missing? Name all files: gpulab run a.cu OTHER.cu");
  write("b.cu", "void launch(float* x, int n) {}\n");
  EXPECT_EQ(run({"run", "a.cu", "b.cu"}).exit_code, 0);
  write("c.cu", "extern \"C\" void launch(float* x, int n);\nint main() {\n  launch(nullptr, 3);\n}\n");
  write("b.c", "void launch(float* x, int n) {}\n");
  expect_refusal({"run", "c.cu", "b.c"}, 3, "b.c is compiled as C++, so extern \"C\" belongs before");
}

TEST_F(Run, PrintsNoSummaryOfTestsForGithub) {
  const std::string notes = run({"run", "-D", "FACTOR=2", "--format", "github", "twice.cu"}).err;
  EXPECT_TRUE(notes.starts_with("::notice file=twice.cu,line=19,col=3,title=refused-file::")) << notes;
  EXPECT_EQ(std::ranges::count(notes, '\n'), 1) << notes;
}

TEST_F(Run, WarnsOnGithubOfAProgramThatEndsWithACodeOfItsOwn) {
  write("three.cu", "int main() { return 3; }\n");
  const ProgramRun ended = run({"run", "--format", "github", "three.cu"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(
      ended.err,
      "::warning title=gpulab run::three.cu: the program ended with exit code 3, and gpulab found no defect "
      "in it\n");
}

TEST_F(Run, ReportsOnStderrOrIntoAFileAndEndsWithOne) {
  const ProgramRun noted = run({"run", "-D", "FACTOR=2", "twice.cu", "--", "leak"});
  EXPECT_EQ(noted.exit_code, 0);
  EXPECT_TRUE(contains(noted.err, "note  memory-leak"));
  const ProgramRun leaks = run({"run", "--strict", "-D", "FACTOR=2", "twice.cu", "--", "leak"});
  EXPECT_EQ(leaks.exit_code, 1);
  EXPECT_EQ(leaks.out, "8 \nclosed\n");
  EXPECT_TRUE(contains(leaks.err, "twice.cu:13: cudaMalloc(&x, sizeof host);"));
  for (const auto& [allowed, exit_code] :
       {std::pair("memory-leak", 0), std::pair("memory-leak:13", 0), std::pair("memory-leak:12", 1),
        std::pair("memory-leak:twice.cu:13", 0), std::pair("memory-leak:a.cuh:13", 1)})
    EXPECT_EQ(
        run({"run", "--strict", "--allow", allowed, "-D", "FACTOR=2", "twice.cu", "--", "leak"}).exit_code,
        exit_code)
        << allowed;
  EXPECT_EQ(run({"run", "--strict", "--allow", "memory-leak:twice.cu:13", "-D", "FACTOR=2", "./twice.cu",
                 "--", "leak"})
                .exit_code,
            0);
  const ProgramRun allowed =
      run({"run", "--strict", "--allow", "memory-leak", "-D", "FACTOR=2", "twice.cu", "--", "leak"});
  EXPECT_TRUE(contains(allowed.err, "no other defect found, 1 allowed in")) << allowed.err;
  const ProgramRun sarif = run({"run", "--strict", "--allow", "memory-leak", "--format", "sarif", "-D",
                                "FACTOR=2", "twice.cu", "--", "leak"});
  EXPECT_TRUE(contains(sarif.err, "\"kind\": \"external\"")) << sarif.err;
  const auto says_that_it_allows_nothing = [&](const char* word) {
    return contains(run({"run", "--strict", "--allow", word, "-D", "FACTOR=2", "twice.cu", "--", "leak"}).err,
                    std::string("\ngpulab: --allow ") + word + " allows nothing: no finding");
  };
  EXPECT_TRUE(says_that_it_allows_nothing("memory-leak:12"));
  EXPECT_FALSE(says_that_it_allows_nothing("memory-leak:13"));
  EXPECT_FALSE(says_that_it_allows_nothing("race-host"));
  const ProgramRun written = run({"run", "--strict", "-D", "FACTOR=2", "--format", "json", "--output",
                                  "r.json", "twice.cu", "--", "leak"});
  EXPECT_EQ(written.err, "");
  EXPECT_EQ(nlohmann::json::parse(read(folder / "r.json"))["findings"].back()["pattern"], "memory-leak");
  EXPECT_EQ(nlohmann::json::parse(read(folder / "r.json"))["findings"].back()["allowed"], false);
}

TEST_F(Run, AllowsEveryKindThatTheRuntimeNames) {
  const std::regex name("\"([a-z]+(-[a-z]+)+)\"");
  const std::vector<std::string> kinds = kinds_of_findings();
  for (const auto& file : std::filesystem::directory_iterator(GPULAB_SOURCE "/src/program/runtime")) {
    const std::string text = read(file.path());
    for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found)
      EXPECT_TRUE(std::ranges::binary_search(kinds, (*found)[1].str())) << (*found)[1];
  }
}

TEST_F(Run, ReportsABlockThatNeverEndsBesideAnotherBlocksFailure) {
  write(
      "ends.cu",
      "__global__ void k(unsigned* x, int zero) {\n  if (blockIdx.x == 0) { x[0] = 1 / zero; return; }\n"
      "  unsigned a = x[1];\n  while (a != 3) a = a * 2 + 2;\n  x[1] = a;\n}\nint main() {\n  unsigned* x;\n"
      "  cudaMalloc(&x, 8);\n  cudaMemset(x, 0, 8);\n  k<<<2, 1>>>(x, 0);\n  cudaDeviceSynchronize();\n"
      "  cudaFree(x);\n}\n");
  const std::string report = run({"run", "ends.cu"}, {{"GPULAB_TIME_LIMIT", "1"}}).err;
  for (const char* part : {"DEFECT  division-by-zero", "DEFECT  time-limit", "block 1 thread 0 is still"})
    EXPECT_TRUE(contains(report, part)) << part;
}

TEST_F(Run, ReportsACrashWithItsLine) {
  const ProgramRun crashed = run({"run", "-D", "FACTOR=2", "twice.cu", "--", "crash"});
  EXPECT_EQ(crashed.exit_code, 1);
  EXPECT_TRUE(contains(crashed.err, "twice.cu:8:"));
}

TEST_F(Run, CountsAccessesOfEachKernel) {
  const ProgramRun counted = run({"run", "-D", "FACTOR=2", "--inspect", "twice.cu"});
  EXPECT_EQ(counted.exit_code, 0);
  EXPECT_TRUE(contains(counted.err, "twice · 1 launch"));
}

TEST_F(Run, NamesTheFileOfEachLine) {
  write("k.cuh", R"(#pragma once
#include <cassert>
__global__ void index(int* a, int k) {
  int local[4] = {};
  local[k] = 3;
  a[threadIdx.x] = local[k % 4];
}
__global__ void divide(int* a, int k) {
  a[threadIdx.x] = 1 / (k - 5);
}
__global__ void asserts(int* a, int k) {
  assert(k == 0);
}
__global__ void misses(int* a, int k) {
  if (threadIdx.x < k) __syncthreads();
}
__global__ void mask(int* a, int k) {
  if (threadIdx.x < k) a[threadIdx.x] = __shfl_sync(~0u, 1, 20);
}
)");
  write("a.cu", R"(#include "k.cuh"
int main() {
  int* a;
  cudaMalloc(&a, 256);
  KERNEL<<<1, 64>>>(a, 5);
  cudaDeviceSynchronize();
  cudaFree(a);
}
)");
  const std::pair<const char*, int> kernels[] = {
      {"index", 5}, {"divide", 9}, {"asserts", 12}, {"misses", 15}, {"mask", 18}};
  for (const auto& [kernel, line] : kernels) {
    const ProgramRun ended = run({"run", "--format", "json", "-D", std::string("KERNEL=") + kernel, "a.cu"});
    const nlohmann::json finding = nlohmann::json::parse(ended.err)["findings"][0];
    EXPECT_EQ(finding["file"], "k.cuh") << kernel;
    EXPECT_EQ(finding["line"], line) << kernel;
    EXPECT_TRUE(contains(finding["text"], "line " + std::to_string(line) + " of k.cuh")) << finding["text"];
  }
  const ProgramRun counted = run({"run", "--inspect", "-D", "KERNEL=index", "a.cu"});
  EXPECT_TRUE(contains(counted.err, "k.cuh:6  global store"));
}

TEST_F(Run, TakesNvccsOptionsForHeadersMacrosAndWarnings) {
  std::filesystem::create_directories(folder / "src");
  std::filesystem::create_directories(folder / "include");
  write("include/x.h", "#pragma once\ninline const char* file_of_x() { return __FILE__; }\n");
  write("config.h", "#define VALUE 7\n");
  write("src/m.cu", R"(#include "../include/x.h"
#include <cstdio>
int main() { printf("%s %s %d\n", file_of_x(), __FILE__, VALUE); }
)");
  const ProgramRun ended = run({"run", "-I", "include", "-include", "config.h", "-UDEBUG", "-MMD", "-MF",
                                "m.d", "-Werror", "all-warnings", "-keep", "-v", "-res-usage",
                                "-forward-unknown-to-host-compiler", "-Wall", "src/m.cu"});
  EXPECT_EQ(ended.out, "include/x.h src/m.cu 7\n") << ended.err;
  EXPECT_FALSE(contains(ended.err, "ignored"));
  expect_refusal({"run", "src/m.cu"}, 2,
                 "src/m.cu includes ../include/x.h, which is outside the folders of the program's files");
}

TEST_F(Run, ShowsTheCompilersErrorsInTheProgramsLinesAndColumns) {
  write("bad.cu", "__global__ void k(int n) { m = n; }\nint main() { k<<<1, 1>>>(oops); }\n");
  const ProgramRun bad = run({"run", "bad.cu"});
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_TRUE(contains(bad.err, "bad.cu:1:28: error: "));
  EXPECT_TRUE(contains(bad.err, "bad.cu:2:26: error: "));
  const std::string lines = run({"run", "bad.cu", "--format", "gcc"}).err;
  EXPECT_TRUE(contains(lines, "bad.cu:1:28: error: ") && contains(lines, "bad.cu:2:26: error: ")) << lines;
  const auto document = nlohmann::json::parse(run({"run", "bad.cu", "--format", "json"}).err);
  EXPECT_EQ(document["findings"].size(), 2u) << document;
  write("sides.cu", "void on_host() {}\n__global__ void k() { on_host(); }\nint main() { k<<<1, 1>>>(); }\n");
  const std::string sides = run({"run", "sides.cu", "--format", "gcc"}).err;
  EXPECT_TRUE(contains(sides, "sides.cu:1:1: error: on_host() is a function of the host")) << sides;
}

TEST_F(Run, SaysThatConstantLoadsAreNotCounted) {
  const std::string uncounted = "loads of constant memory are not counted";
  write(
      "constants.cu",
      "__constant__ float table[64];\n__global__ void reads(float* x) { x[threadIdx.x] = table[threadIdx.x]; }\n"
      "__global__ void sets(float* x) { x[threadIdx.x] = 1; }\n"
      "int main() {\n  float *x, values[64] = {};\n  cudaMalloc(&x, 256);\n"
      "  cudaMemcpyToSymbol(table, values, 256);\n  KERNEL<<<1, 64>>>(x);\n  cudaFree(x);\n}\n");
  EXPECT_TRUE(contains(run({"run", "--inspect", "-D", "KERNEL=reads", "constants.cu"}).err, uncounted));
  EXPECT_FALSE(contains(run({"run", "--inspect", "-D", "KERNEL=sets", "constants.cu"}).err, uncounted));
}

TEST_F(Run, SaysWhatToWriteForASlipThatTheCompilerReports) {
  const auto error_of = [&](const std::string& body, const std::string& call) {
    write("slip.cu", "#include <vector>\n__global__ void add(const float* a, float* b, int n) {\n" + body +
                         "\n}\nint main() {\n  std::vector<float> v(9);\n  float* p = nullptr;\n" + call +
                         "\n}\n");
    const ProgramRun refused = run({"run", "slip.cu"});
    EXPECT_EQ(refused.exit_code, 3);
    return refused.err;
  };
  EXPECT_TRUE(contains(error_of("int i = threadIdx + 1;", ""),
                       "slip.cu does not compile: line 3 has threadIdx without .x: write threadIdx.x"));
  EXPECT_TRUE(contains(error_of("a[0] = n;", ""), "line 3 stores in a, which is const"));
  const std::string number = error_of("atomicAdd(n, 1);", "");
  EXPECT_TRUE(contains(number, "line 3 has int where int* is needed")) << number;
  EXPECT_FALSE(contains(number, "gpulab_own")) << number;
  EXPECT_TRUE(contains(error_of("", "  add<<<1, 9>>>(v, p, 9);"),
                       "line 8 has a std::vector<float>, whose elements are in host memory"));
}

TEST_F(Run, BlamesAHeaderForItsOwnErrors) {
  write("sums.h", "#pragma once\ninline int sum() { return missing; }\n");
  write("sums.cu", "#include \"sums.h\"\nint main() { return sum(); }\n");
  const ProgramRun refused = run({"run", "sums.cu"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(contains(refused.err, "sums.h does not compile: line 2: "));
}

TEST_F(Run, NamesTheLineInWhichAStructureIsCopiedOrPassed) {
  write("bodies.cu", R"(struct Body { float x, y; };
__device__ float sum(Body a, float4 b) { return a.x + b.w; }
__global__ void copy(Body* bodies, float4* places) {
  bodies[threadIdx.x + 1] = bodies[threadIdx.x];
  places[threadIdx.x].x = sum(bodies[threadIdx.x], places[threadIdx.x + 1]);
}
int main() {
  Body* bodies; float4* places;
  cudaMalloc(&bodies, 32 * sizeof(Body)); cudaMalloc(&places, 32 * sizeof(float4));
  cudaMemset(bodies, 0, 32 * sizeof(Body)); cudaMemset(places, 0, 32 * sizeof(float4));
  copy<<<1, 32>>>(bodies, places);
  cudaDeviceSynchronize();
  cudaFree(bodies); cudaFree(places);
}
)");
  const ProgramRun ended = run({"run", "bodies.cu"});
  EXPECT_TRUE(contains(ended.err, "writes 8 bytes in line 4"));
  EXPECT_TRUE(contains(ended.err, "reads 16 bytes in line 5"));
  EXPECT_FALSE(contains(ended.err, "unknown line")) << ended.err;
}

TEST_F(Run, NamesTheLineThatCallsAnInlinedFunctionAndTheElementOfASharedArray) {
  write("tile.cu", R"(#define WIDTH 5
__device__ float after(const float* x, int i) {
  return x[i + 1];
}
__global__ void k(const float* x, float* y) {
  __shared__ float tile[4][WIDTH];
  const int i = threadIdx.x;
  if (i < 4) tile[i][2] = i;
  y[i] = tile[3][1];
  y[i] = after(x, i);
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 80); cudaMalloc(&y, 80);
  cudaMemset(x, 0, 80);
  k<<<1, 20>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x); cudaFree(y);
}
)");
  const std::string err = run({"run", "tile.cu"}).err;
  EXPECT_TRUE(contains(err,
                       "  tile.cu:3: return x[i + 1];\n  tile.cu:10: y[i] = after(x, i);\n"
                       "    called from here\n"));
  EXPECT_TRUE(contains(err, "reads tile[3][1] in line 9; line 8\n"));
  EXPECT_LT(err.find("out-of-bounds"), err.find("uninitialised-shared")) << "the cause comes first\n" << err;
}

TEST_F(Run, NotesAVariableThatIsUsedBeforeItHasAValue) {
  write("unset.cu", R"(#include "unset.cuh"
__global__ void k(const float* x, float* y, int n) {
  float sum, other;
  for (int i = 0; i < n; ++i)
    sum += x[i];
  if (n > 2) other = 3;
  y[threadIdx.x] = sum + other + unset();
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 16); cudaMalloc(&y, 16);
  cudaMemset(x, 0, 16);
  k<<<1, 4>>>(x, y, 4);
  cudaDeviceSynchronize();
  cudaFree(x); cudaFree(y);
}
)");
  write("unset.cuh", "__device__ inline int unset() {\n  int value;\n  return value;\n}\n");
  for (int times = 0; times < 2; ++times) {  // the second run finds it compiled
    const ProgramRun ended = run({"run", "unset.cu"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_TRUE(contains(ended.err,
                         "note  unset-variable\n'sum' is used before it has a value, so its value is "
                         "arbitrary\n  unset.cu:5: sum += x[i];\n"));
    EXPECT_TRUE(contains(ended.err, "'value' is used"));
    EXPECT_TRUE(contains(ended.err, "  unset.cuh:3: return value;\n"));
    EXPECT_FALSE(contains(ended.err, "'other'")) << "a branch gives it a value\n" << ended.err;
  }
  EXPECT_EQ(run({"run", "--plain", "unset.cu"}).err, "");
  write("macro.cu", R"(#include <iostream>
#define CHECK(call) do { cudaError_t r = (call); if (r != cudaSuccess) return 1; } while (0)
int main() {
  float *d, r;
  CHECK(cudaMalloc(&d, 4));
  CHECK(cudaMemset(d, 0, 4));
  CHECK(cudaMemcpy(&r, d, 4, cudaMemcpyDeviceToHost));
  std::cout << r;
  CHECK(cudaFree(d));
}
)");
  const ProgramRun hidden = run({"run", "macro.cu"});
  EXPECT_TRUE(contains(hidden.err, "note  unset-variable\n'r' is used before it has a value"));
  EXPECT_TRUE(contains(hidden.err, "macro CHECK declares"));
  EXPECT_TRUE(contains(hidden.err, "  macro.cu:7: CHECK(cudaMemcpy(&r, d, 4, cudaMemcpyDeviceToHost));\n"));
  write("unset.cu", "int main() { int a; return a + b; }\n");
  EXPECT_FALSE(contains(run({"run", "unset.cu"}).err, "uninitialized")) << "an error is enough";
}

TEST_F(Run, LaunchesAKernelFromAKernelUnlessThePreprocessorRemovesIt) {
  write("nested.cu", R"(#include <cstdio>
__global__ void child() { printf("child"); }
__global__ void parent() {
#ifdef NESTED
  child<<<1, 1>>>();
#endif
}
int main() {
  parent<<<1, 1>>>();
  cudaDeviceSynchronize();
})");
  EXPECT_EQ(run({"run", "nested.cu"}).out, "");
  for (const char* option : {"--plain", "--inspect"}) {
    const ProgramRun nested = run({"run", "-D", "NESTED", option, "nested.cu"});
    EXPECT_EQ(nested.exit_code, 0) << nested.err;
    EXPECT_TRUE(contains(nested.out, "child"));
  }
}

TEST_F(Run, CompilesRandomNumbersOfKernelsFromTheToolkit) {
  write("random.cu", R"(#include <cstdio>
#include <curand_kernel.h>
__global__ void k(float* a) {
  curandState state;
  curand_init(1234, threadIdx.x, 0, &state);
  curandStatePhilox4_32_10_t other;
  curand_init(7, threadIdx.x, 0, &other);
  a[threadIdx.x] = curand_uniform(&state);
  a[32 + threadIdx.x] = curand_normal(&other);
}
int main() {
  float *a, x[64];
  cudaMalloc(&a, sizeof x);
  k<<<1, 32>>>(a);
  cudaMemcpy(x, a, sizeof x, cudaMemcpyDeviceToHost);
  printf("%.4f %.4f\n", x[0], x[32]);
  cudaFree(a);
})");
  const ProgramRun random = run({"run", "random.cu"});
  if (program::ToolkitHeaders({"curand_kernel.h"}, true).offers("cuRAND"))
    EXPECT_EQ(random.out, "0.1455 -0.3048\n") << random.err;
  else
    EXPECT_TRUE(contains(random.err, "with cuRAND's headers it runs here: install"));
  write("host.cu", "#include <curand.h>\nint main() { curandGenerator_t g; curandDestroyGenerator(g); }\n");
  const ProgramRun host = run({"run", "host.cu"});
  EXPECT_EQ(host.exit_code, 1) << "functions for the host need no headers";
  EXPECT_TRUE(contains(host.err, "curandDestroyGenerator is given a handle that was never created"));
}

TEST_F(Run, NamesAnIntThatOverflowsAndAKernelThatIsCalled) {
  write("wide.cu", R"(
__global__ void k(float* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2048) a[i * (1 << 20)] = 1;
}
int main() {
  float* a;
  cudaMalloc(&a, 16 << 20);
  k<<<64, 64>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
})");
  const ProgramRun wide = run({"run", "wide.cu"});
  EXPECT_TRUE(contains(wide.err, "out-of-bounds") && contains(wide.err, "index has overflowed")) << wide.err;
  write("called.cu", "__global__ void k() {}\nint main() {\n  k();\n}\n");
  const ProgramRun called = run({"run", "called.cu"});
  EXPECT_TRUE(contains(called.err, "called.cu:3:") && contains(called.err, "kernel-called")) << called.err;
  write("size.cu", "int main() { int n = 50000; void* p; return cudaMalloc(&p, n * n * sizeof(int)); }\n");
  const ProgramRun size = run({"run", "size.cu"});
  EXPECT_TRUE(contains(size.err, "ints has overflowed, before it became a size_t")) << size.err;
}

TEST_F(Run, AcceptsMarksForProfilers) {
  write("marks.cu", R"(#include <nvtx3/nvToolsExt.h>
int main() {
  nvtxRangePush("work");
  nvtxMarkA("now");
  return nvtxRangePop();
})");
  const ProgramRun marked = run({"run", "marks.cu"});
  EXPECT_EQ(marked.exit_code, 0) << marked.err;
}

TEST_F(Run, RefusesWhatItCannotRun) {
  expect_refusal({"run"}, 2, "FILE is missing: gpulab run FILE...");
  expect_refusal({"run", "none.cu"}, 2, "cannot read none.cu");
  EXPECT_TRUE(contains(run({"run", "--format", "junit", "none.cu"}).err, "gpulab run none.cu"));
  expect_refusal({"run", "twice.cu", "500"}, 2, "follow --: gpulab run twice.cu -- 500");
  expect_refusal({"run", "twice.cu", "--count", "500"}, 2, "options of the program follow --");
  expect_refusal({"run", "."}, 2, "it is a folder");
  expect_refusal({"run", "--sandbox", "require", "--device", "cuda", "twice.cu"}, 2,
                 "a GPU's driver cannot be confined");
  write("kernel.cu", "__global__ void k() {}\n");
  expect_refusal({"run", "kernel.cu"}, 3,
                 "kernel.cu: it has no main(), where a program begins; add a main()");
  expect_refusal({"inspect", "kernel.cu"}, 2, "add a main() and gpulab run --inspect kernel.cu");
  write("twice.cu", "int main() {}\n");
  EXPECT_EQ(run({"run", "-I", "nowhere", "twice.cu"}).exit_code, 0) << "nvcc, too, takes such a folder";
  expect_refusal({"run", "--allow", "race-hots", "twice.cu"}, 2,
                 "there is no kind of findings 'race-hots'; did you mean 'race-host'?");
  expect_refusal({"run", "--allow", "global-out-of-bounds", "twice.cu"}, 2, "did you mean 'out-of-bounds'?");
  expect_refusal({"run", "--allow", "nonsense", "twice.cu"}, 2,
                 "write the word after DEFECT in the report, such as race-host");
  expect_refusal({"run", "--allow", "race-host:reader.cuh", "twice.cu"}, 2,
                 "'race-host:reader.cuh' does not end with a line; write race-host:14 or");
  expect_refusal({"run", "--inspect", "--strict", "twice.cu"}, 2, "which --plain, --inspect and");
  expect_refusal({"run", "--plain", "--strict", "twice.cu"}, 2,
                 "--strict looks for memory that is never freed");
  expect_refusal({"run", "--inspect", "--gpu", "nosuch", "twice.cu"}, 2, "there is no GPU 'nosuch'");
  expect_refusal({"run", "--break", "9 if i == 3", "twice.cu"}, 2,
                 "--break: twice.cu has no code in line 9 or after it");
}

TEST_F(Run, RefusesOptionsThatExcludeEachOther) {
  write("twice.cu", "int main() {}\n");
  using Words = std::vector<std::string>;
  for (const auto& [words, part] : std::vector<std::pair<Words, const char*>>{
           {{"--plain", "--inspect"}, "--plain and --inspect exclude each other"},
           {{"--plain", "--device", "cuda"}, "which nobody can watch"},
           {{"--inspect", "--device", "cuda"}, "which nobody can watch"},
           {{"--watch", "--debug"}, "--watch and --debug exclude each other"},
           {{"--watch", "--break", "1"}, "--watch and --debug exclude each other"},
           {{"--debug", "--device", "cuda"}, "leave --device cuda out, or use cuda-gdb"},
           {{"--break", "1", "--device", "cuda"}, "leave --device cuda out, or use cuda-gdb"},
           {{"--debug", "--plain"}, "--debug stops where a defect is found"},
           {{"--debug", "--inspect"}, "--debug stops where a defect is found"},
           {{"--debug", "--format", "json"}, "--debug leaves the terminal to gdb"},
           {{"--debug", "--output", "f"}, "--debug leaves the terminal to gdb"},
           {{"--watch", "--device", "cuda"}, "--watch shows text at every save"},
           {{"--watch", "--output", "f.json"}, "--watch shows text at every save"},
           {{"--watch", "--inspect", "--picture"}, "--watch and --debug draw no pictures"},
           {{"--watch", "--inspect", "--html", "f.html"}, "--watch and --debug draw no pictures"},
           {{"--debug", "--picture"}, "--watch and --debug draw no pictures"},
           {{"--device", "cuda", "--format", "junit"}, "shows the program's own output alone"},
           {{"--device", "cuda", "--gpus", "2"}, "--gpus needs the simulated device"},
           {{"--picture"}, "add --inspect"},
           {{"--gpu", "t4"}, "add --inspect"},
           {{"--inspect", "--picture", "--format", "json"}, "--picture draws in text"},
           {{"--watch"}, "--watch needs a terminal"}}) {
    Words all{"run", "twice.cu"};
    all.insert(all.end(), words.begin(), words.end());
    expect_refusal(all, 2, part);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "f"));
}

TEST_F(Run, WritesWhyNothingRanInEachFormat) {
  write("kernel.cu", "__global__ void k() {}\n");
  for (const auto& [file, code, why] :
       {std::tuple("kernel.cu", 3, "has no main()"), std::tuple("none.cu", 2, "cannot read none.cu")})
    for (const char* format : {"json", "junit", "github", "gcc", "sarif"}) {
      const ProgramRun ended = run({"run", file, "--format", format, "--output", "report"});
      EXPECT_EQ(ended.exit_code, code) << file << " " << format << "\n" << ended.err;
      const std::string report = read(folder / "report");
      EXPECT_TRUE(contains(report, why)) << format;
      if (std::string(format) == "json") {
        EXPECT_EQ(nlohmann::json::parse(report)["exit_code"], code);
      }
      if (std::string(format) == "sarif") {
        EXPECT_EQ(nlohmann::json::parse(report)["runs"][0]["invocations"][0]["exitCode"], code);
      }
      std::filesystem::remove(folder / "report");
    }
}

TEST_F(Run, PassesColoursAndNoOtherEscapeSequencesToTheTerminal) {
  write("colours.cu", R"(#include <cstdio>
int main() {
  char word[10] = "";
  printf("who? ");
  scanf("%9s", word);
  printf("\033[32m%s\033[0m \033]0;title\007\033[6n%d\n", word, 42);
  fprintf(stderr, "then this \033[c\n");
}
)");
  open({"run", "--plain", "colours.cu"}, {{"TERM", "xterm"}});
  until("who? ");
  press("ada\n");
  const std::string seen = until_the_end();
  EXPECT_TRUE(contains(seen, "\033[32mada\033[0m ?]0;title\a?[6n42\r\nthen this ?[c\r\n"));
}

TEST_F(Run, EndsAProgramThatIgnoresCtrlCAtTheSecondOne) {
  write("deaf.cu", R"(#include <csignal>
#include <cstdio>
#include <unistd.h>
int main() {
  signal(SIGINT, [](int) { if (write(1, "no\n", 3)) {} });
  puts("on");
  for (;;) pause();
}
)");
  open({"run", "--plain", "deaf.cu"}, {{"TERM", "xterm"}});
  until("on\r\n");
  press("\003");
  until("no\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // two at once count as one
  press("\003");
  until_the_end();
}

TEST_F(Run, ReportsWhatWasFoundBeforeCtrlC) {
  write("endless.cu", R"(#include <cstdio>
#include <unistd.h>
__global__ void past(int* a) { a[threadIdx.x + 1] = 1; }
int main() {
  int* a;
  cudaMalloc(&a, 128);
  past<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  puts("on");
  for (;;) getchar();
}
)");
  open({"run", "endless.cu"}, {{"TERM", "xterm"}});
  until("on\r\n");
  press("\003");
  const std::string report = until("runtime API");
  EXPECT_TRUE(contains(report, "endless.cu:3:"));
  EXPECT_TRUE(contains(report, "interrupted; so far 1 defect found"));
  until_the_end();
}

TEST_F(Run, NamesTheKernelThatRunsAtCtrlC) {
  write("spin.cu", R"(__global__ void spin(int* a) { for (a[32] = 1; a[0] == 0;) a[1] = 1; }
int main() {
  int* a;
  cudaMalloc(&a, 128);
  cudaMemset(a, 0, 128);
  spin<<<1, 1>>>(a);
  cudaDeviceSynchronize();
}
)");
  open({"run", "spin.cu"}, {{"TERM", "xterm"}});
  until("still running");
  press("\003");
  const std::string report = until("runtime API");
  EXPECT_TRUE(contains(report, "out-of-bounds")) << report;
  EXPECT_TRUE(contains(report, "interrupted; so far 1 defect found")) << report;
  EXPECT_TRUE(contains(report, "kernel spin, launched here, was still running"));
  EXPECT_TRUE(contains(report, "spin.cu:6:"));
  until_the_end();
}

TEST_F(Run, NamesTheWorstLineOfAnInspectedKernelForEditorsAndServices) {
  write("stride.cu", R"(__global__ void stride(int* a) {
  a[32 * threadIdx.x] = 1;
}
int main() {
  int* a;
  cudaMalloc(&a, 32 * 32 * sizeof(int));
  stride<<<1, 32>>>(a);
  cudaFree(a);
}
)");
  EXPECT_TRUE(contains(run({"run", "--inspect", "--format", "gcc", "stride.cu"}).err,
                       "stride.cu:2:1: note: stride: line 2"));
  EXPECT_TRUE(contains(run({"run", "--inspect", "--format", "gcc", "stride.cu"}).err, "[coalesced-access]"));
  EXPECT_TRUE(contains(run({"run", "--inspect", "--format", "github", "stride.cu"}).err,
                       "::notice file=stride.cu,line=2"));
}

TEST_F(Run, CountsWholeRequestsOfSharedMemoryInALongLoop) {
  write("long.cu", R"(__global__ void sum(float* a) {
  __shared__ float s[256];
  s[threadIdx.x] = 1;
  __syncthreads();
  float all = 0;
  for (int i = 0; i < 400; ++i) all += s[i % 256];
  a[blockIdx.x * 256 + threadIdx.x] = all;
}
int main() {
  float* a;
  cudaMalloc(&a, 4 * 256 * sizeof *a);
  sum<<<4, 256>>>(a);
  cudaFree(a);
}
)");
  const std::string counts = run({"run", "--inspect", "long.cu"}).err;
  EXPECT_TRUE(contains(counts, "shared load     12 800")) << counts;
}

TEST_F(Run, CountsACrashWithoutAReportAsADefect) {
  write("silent.cu",
        "#include <csignal>\nint main() {\n  signal(SIGSEGV, SIG_DFL);\n  *(volatile int*)8 = 1;\n}\n");
  const ProgramRun crashed = run({"run", "silent.cu"});
  EXPECT_EQ(crashed.exit_code, 1);
  EXPECT_TRUE(contains(crashed.err, "DEFECT  host-crash\nthe program crashes (signal 11)"));
}

TEST_F(Run, FailsAStrictRunThatCopiesWhatNobodyHasWritten) {
  write("part.cu", R"(__global__ void half(int* a) { a[threadIdx.x] = 1; }
int main() {
  int *a, copy[64];
  cudaMalloc(&a, sizeof copy);
  half<<<1, 32>>>(a);
  cudaMemcpy(copy, a, sizeof copy, cudaMemcpyDeviceToHost);
  cudaFree(a);
}
)");
  EXPECT_EQ(run({"run", "part.cu"}).exit_code, 0);
  EXPECT_EQ(run({"run", "--strict", "part.cu"}).exit_code, 1);
}

TEST_F(Run, PassesOnASignalThatOnlyGpulabGets) {
  write("loops.cu", R"(#include <cstdio>
int main() {
  puts("on");
  fflush(stdout);
  for (volatile int i = 0;; i = i + 1) {}
}
)");
  open({"run", "loops.cu"}, {{"TERM", "xterm"}});
  until("on\r\n");
  signal(SIGINT);
  EXPECT_TRUE(contains(until_the_end(), "interrupted"));
}

TEST_F(Run, GivesAProgramNoFilesOfTheHomeFolder) {
  if (!sandbox::support().is_complete()) GTEST_SKIP() << "this machine cannot confine";
  const ProgramRun at_home = run({"run", "-D", "FACTOR=2", "twice.cu"}, {{"HOME", folder.string()}});
  EXPECT_EQ(at_home.out, "8 \nclosed\n");
  EXPECT_TRUE(at_home.err.starts_with(
      "gpulab: the program may use no file of this folder, since your home folder is in it; run it in one of "
      "its own\nnote  refused-file\nthe sandbox kept the program from opening result.txt; "))
      << at_home.err;
  EXPECT_TRUE(at_home.err.ends_with("\ntwice.cu: 2 notes found in 1 launch and 6 calls of the runtime API\n"))
      << at_home.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "result.txt"));
}

TEST_F(Run, NamesAFileThatTheSandboxKeepsFromTheProgram) {
  if (!sandbox::support().is_complete()) GTEST_SKIP() << "this machine cannot confine";
  write("reader.cu", R"(#include <cstdio>
int main() {
  if (fopen("missing.txt", "r")) return 1;
  if (fopen("/etc/passwd", "r")) return 1;
  return fopen("../not_made_by_gpulab.txt", "w") ? 1 : 0;
}
)");
  const ProgramRun refused = run({"run", "reader.cu"});
  EXPECT_EQ(refused.exit_code, 0);
  EXPECT_TRUE(contains(refused.err, "the sandbox kept the program from opening /etc/passwd; "));
  EXPECT_TRUE(contains(refused.err, "the sandbox kept the program from opening ../not_made_by_gpulab.txt; "));
  for (const char* line : {"  reader.cu:4: ", "  reader.cu:5: "}) EXPECT_TRUE(contains(refused.err, line));
  EXPECT_FALSE(contains(refused.err, "missing.txt; "));
}

TEST_F(Run, ExplainsTheWordsThatCudaHasRemovedAndOpenGl) {
  write("words.cu",
        "__global__ void k(int* x) {\n  *x = __shfl(*x, 0);\n}\nint main() { k<<<1, 32>>>(nullptr); }\n");
  EXPECT_TRUE(contains(run({"run", "words.cu"}).err,
                       "CUDA has removed it: write __shfl_sync(mask, ...), whose mask names"));
  write("picture.cu", "#include <GLFW/glfw3.h>\nint main() {\n  glfwInit();\n}\n");
  expect_refusal({"run", "picture.cu"}, 3, "picture.cu, line 3: the simulated device does not have OpenGL");
}

TEST_F(Run, SaysWithWhichCodeAProgramWithADefectEnded) {
  write("late.cu",
        "int main() {\n  int* p;\n  cudaMalloc(&p, 4);\n  cudaFree(p);\n  cudaFree(p);\n  return 42;\n}\n");
  const ProgramRun late = run({"run", "late.cu"});
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_TRUE(late.err.ends_with("calls of the runtime API; its own exit code is 42\n")) << late.err;
}

TEST_F(Run, RunsAgainAtEverySaveUntilQIsPressed) {
  const std::string keys = "watching: q quits, r runs again";
  write("saved.cu", "#include <cstdio>\nint main() { void* p; cudaMalloc(&p, 4); puts(\"first\"); }\n");
  open({"run", "--watch", "saved.cu"}, no_colour);
  const std::string first = until(keys);
  EXPECT_TRUE(contains(first, "first") && contains(first, "memory-leak")) << first;
  write("saved.cu", "int main() { return oops; }\n");
  EXPECT_TRUE(contains(until(keys), "saved.cu does not compile"));
  write("saved.cu", "#include <unistd.h>\nint main() { for (;;) pause(); }\n");
  until("running saved.cu");
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
  EXPECT_TRUE(is_in_canonical_mode());
  expect_refusal({"run", "--watch", "--format", "json", "saved.cu"}, 2, "--watch shows text at every save");
}

TEST_F(Run, StopsInADebuggerInTheThreadAtFault) {
  if (std::system("gdb -q -batch -ex 'python print(1)' >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no gdb";
  write("past.cu", R"(__global__ void past(int* a, int n) {
  for (int k = 0; k <= n; ++k)
    a[k] = k;
}
int main() {
  int* a;
  cudaMalloc(&a, 12);
  past<<<1, 1>>>(a, 3);
  cudaDeviceSynchronize();
  cudaFree(a);
}
)");
  write("commands", "print k\ncontinue\nquit\n");
  const auto debugged = [&](const std::vector<std::string>& words) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open((folder / "commands").c_str(), O_RDONLY), STDIN_FILENO);
      redirect(STDOUT_FILENO, folder / ".stdout");
      redirect(STDERR_FILENO, folder / ".stderr");
      execute(words, {});
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return ProgramRun{WEXITSTATUS(status), read(folder / ".stdout"), read(folder / ".stderr")};
  };
  const bool is_gdb_13_or_later =
      std::system("gdb -q -batch -ex 'python import os; os._exit(int(gdb.VERSION.split(\".\")[0]) < 13)'") ==
      0;
  const std::string text = read(folder / "past.cu");
  for (const char* access : {"a[k] = k", "atomicExch(&a[k], k)"}) {
    write("past.cu", std::regex_replace(text, std::regex("a\\[k\\] = k"), access));
    const ProgramRun session = debugged({"run", "--debug", "past.cu"});
    EXPECT_TRUE(contains(session.out, "past.cu:3")) << session.err;
    EXPECT_FALSE(is_gdb_13_or_later && contains(session.out, "prelude.cuh")) << session.out;
    EXPECT_TRUE(contains(session.out, "DEFECT  out-of-bounds\nblock 0 thread 0 in line 3\n"));
    EXPECT_TRUE(contains(session.out, "$1 = 3"));
  }
  write("before.cu", std::regex_replace(text, std::regex("k = 0"), "k = -1"));
  const ProgramRun before = debugged({"run", "--debug", "before.cu"});
  EXPECT_TRUE(contains(before.out, "3\t    a[k] = k;")) << "the line, though the kernel cannot go on\n";
  write("right.cu", R"(__device__ int one();
template <int N>
__global__ void copy(int* a) {
  __shared__ int tile[N];
  tile[threadIdx.x] = one();
  a[threadIdx.x] = tile[threadIdx.x];
}
__device__ int one() { return 1; }
int host();
int main() {
  int* a;
  cudaMalloc(&a, 128);
  copy<32><<<host(), 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
)");
  write("host.cpp", "int host() { return 1; }\n");
  write("commands", "quit\n");
  const ProgramRun right = debugged({"run", "--debug", "right.cu", "host.cpp"});
  EXPECT_TRUE(contains(right.out, "exited normally")) << right.err;
  EXPECT_TRUE(contains(right.err, "right.cu: 1 note found")) << right.err;
  write("leak.cu", "int main() {\n  int* a;\n  cudaMalloc(&a, 128);\n}\n");
  const ProgramRun leak = debugged({"run", "--debug", "leak.cu"});
  EXPECT_TRUE(contains(leak.err, "note  memory-leak"));
  EXPECT_EQ(leak.exit_code, 0);
  write("size.cu",
        "int main() {\n  int *a, h[4] = {};\n  cudaMalloc(&a, 8);\n"
        "  cudaMemcpy(a, h, 16, cudaMemcpyHostToDevice);\n  cudaFree(a);\n}\n");
  EXPECT_EQ(debugged({"run", "--debug", "size.cu"}).exit_code, 1) << "the report has a defect";
  const ProgramRun left = debugged({"run", "--debug", "past.cu"});
  EXPECT_EQ(left.exit_code, 1) << "it has stopped at a defect";
  EXPECT_TRUE(contains(left.err, "gdb does not stop at races between streams, leaks and sizes of copies"))
      << left.err;
  write("commands", "print threadIdx.x\nprint n\nquit\n");
  const ProgramRun broken = debugged({"run", "--break", "past.cu:2 if n == 3", "past.cu"});
  EXPECT_TRUE(contains(broken.out, "past.cu:2")) << broken.err;
  EXPECT_TRUE(contains(broken.out, "$2 = 3"));
}

// Makes Landlock's first system call fail, as on a kernel without it. Returns whether it could.
bool take_landlock_away() {
  constexpr unsigned landlock_create_ruleset = 444;
  return sandbox::install({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, landlock_create_ruleset, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)});
}

TEST_F(Run, NamesTheKindOfCopyThatFitsBothPointers) {
  write("kinds.cu", R"(int main() {
  int here[4] = {}, there[4] = {}, *x;
  cudaMalloc(&x, sizeof here);
  cudaMemcpy(x, here, sizeof here, cudaMemcpyDeviceToHost);
  cudaMemcpy(there, here, sizeof here, cudaMemcpyDeviceToDevice);
  cudaFree(x);
})");
  const std::string err = run({"run", "kinds.cu"}).err;
  EXPECT_TRUE(contains(err, "write: cudaMemcpyHostToDevice; or,"));
  EXPECT_TRUE(contains(err, "write: cudaMemcpyHostToHost\n"));
}

TEST_F(Run, SaysInOneLineThatItCannotConfine) {
  if (!sandbox::support().is_complete()) GTEST_SKIP() << "this machine has no filter of system calls";
  const auto without_landlock = [&](const std::string& mode) {
    const pid_t child = ::fork();
    if (child == 0) {
      redirect(STDOUT_FILENO, folder / ".stdout");
      redirect(STDERR_FILENO, folder / ".stderr");
      if (take_landlock_away())
        execute({"run", "-D", "FACTOR=2", "--plain", "--sandbox", mode, "twice.cu"}, {});
      ::_exit(125);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return ProgramRun{WEXITSTATUS(status), read(folder / ".stdout"), read(folder / ".stderr")};
  };
  const ProgramRun unconfined = without_landlock("auto");
  EXPECT_EQ(unconfined.exit_code, 0) << unconfined.err;
  EXPECT_EQ(unconfined.out, "8 \nopen\n");
  EXPECT_TRUE(
      unconfined.err.starts_with("gpulab: the program can do here what you can do (files are not confined: "))
      << unconfined.err;
  EXPECT_EQ(std::ranges::count(unconfined.err, '\n'), 1) << unconfined.err;
  const ProgramRun refused = without_landlock("require");
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_EQ(refused.out, "");
  EXPECT_TRUE(contains(refused.err, "this kernel has no Landlock"));
  EXPECT_EQ(without_landlock("off").err, "");
}

TEST_F(Run, ReportsAnUncaughtExceptionAsACrash) {
  write("throws.cu", "#include <stdexcept>\nint main() { throw std::runtime_error(\"too hot\"); }\n");
  EXPECT_EQ(run({"run", "--plain", "throws.cu"}).exit_code, 128 + SIGABRT);
  const ProgramRun ended = run({"run", "throws.cu"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(contains(ended.err, "DEFECT  host-crash\nthe program aborts: "));
  EXPECT_TRUE(contains(ended.err, "throws.cu:2: int main() { throw"));
  EXPECT_TRUE(contains(ended.err, "too hot"));
  EXPECT_FALSE(contains(ended.err, "defect of gpulab"));
}

}  // namespace
}  // namespace gpulab::cli
