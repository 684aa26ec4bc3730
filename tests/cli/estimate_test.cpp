#include "terminal_fixture.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

class EstimateCommand : public TerminalTest {
 protected:
  nlohmann::json estimate_of(std::vector<std::string> words) const {
    words.insert(words.begin(), "estimate");
    words.insert(words.end(), {"--format", "json"});
    const ProgramRun ended = run(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return nlohmann::json::parse(ended.out)["variants"][0]["estimate"];
  }
  std::string solution(const std::string& exercise) const {
    return run({"solution", exercise, "--anyway"}).out;
  }
};

// On the simulator this product takes minutes, and each of its blocks makes millions of accesses.
TEST_F(EstimateCommand, NeedsNoRunOfTheWholeProblem) {
  const nlohmann::json estimate =
      estimate_of({"matmul", "register-blocked", "--m", "1500", "--n", "1500", "--k", "1500"});
  EXPECT_EQ(estimate["why_not"], nullptr);
  const double wavefronts = estimate["launches"][0]["shared_wavefronts"];
  const nlohmann::json half =
      estimate_of({"matmul", "register-blocked", "--m", "1500", "--n", "1500", "--k", "750"});
  EXPECT_NEAR(wavefronts / half["launches"][0]["shared_wavefronts"].get<double>(), 2, 0.1)
      << "accesses that are only counted";
}

TEST_F(EstimateCommand, SaysHowToFillTheGpu) {
  const ProgramRun small = run({"estimate", "matmul", "naive"});
  EXPECT_TRUE(contains(small.out, "with more (--m 2048 --n 2048 --k 2048)")) << small.out;
  const ProgramRun large = run({"estimate", "coalescing", "stride-1", "--size", "4194304"});
  EXPECT_FALSE(contains(large.out, "multiprocessors: with more")) << large.out;
}

TEST_F(EstimateCommand, TellsStridesApart) {
  const auto seconds = [&](const char* stride) {
    return estimate_of({"coalescing", stride, "--size", "4194304"})["seconds"].get<double>();
  };
  EXPECT_GT(seconds("stride-16"), 1.15 * seconds("stride-8"));
  EXPECT_GT(seconds("stride-32"), 1.3 * seconds("stride-16"));
}

// One thread of the first block does all the work, so the other blocks have none.
TEST_F(EstimateCommand, CountsTheWorkOfAThreadThatDoesItAlone) {
  write("vector_multiply.cu",
        "__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {\n"
        "  if (blockIdx.x == 0 && threadIdx.x == 0)\n"
        "    for (int i = 0; i < size; ++i)\n"
        "      C[i] = A[i] * B[i];\n"
        "}\n");
  for (const int size : {10'000, 1'000'000}) {
    const nlohmann::json launch =
        estimate_of({"vector_multiply.cu", "--size", std::to_string(size)})["launches"][0];
    EXPECT_NEAR(launch["load_requests"], 2.0 * size, 0.01 * size);
    EXPECT_NEAR(launch["store_requests"], size, 0.01 * size);
    EXPECT_GT(launch["most_load_batches"], 0.9 * size);
    EXPECT_GT(launch["seconds"], 50e-9 * size) << "a round trip for each element";
  }
}

TEST_F(EstimateCommand, SaysThatAKernelIsWrongBeforeItIsEstimated) {
  write("first_kernel.cu",
        "__global__ void vector_add_global_index(const float*, const float*, float* C, int) { *C = 0; }");
  const ProgramRun ended = run({"estimate", "first_kernel.cu"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(contains(ended.out, "global-index: not estimated: 2 047 of 2 048 unwritten"));
}

TEST_F(EstimateCommand, SaysThatAKernelRaces) {
  const std::string kernel = solution("reduction"), barrier = "__syncthreads();";
  const std::string addition = "if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];";
  ASSERT_TRUE(contains(kernel, barrier) && contains(kernel, addition)) << kernel;
  std::string late = kernel;  // with the barrier after each addition, not before
  late.insert(late.rfind(addition) + addition.size(), " " + barrier);
  late.erase(kernel.rfind(barrier), barrier.size());
  write("reduction.cu", late);
  const ProgramRun racing = run({"estimate", "reduction.cu"});
  EXPECT_EQ(racing.exit_code, 1);
  EXPECT_TRUE(contains(racing.out, "data race in shared memory")) << racing.out;
  EXPECT_TRUE(contains(racing.out, "limited by warps")) << racing.out;
  EXPECT_TRUE(
      contains(run({"estimate", "reduction.cu", "--gpu", "t4,h100"}).out, "data race in shared memory"));
}

// Compilers are given the name of the file without its folder, which their PTX repeats.
TEST_F(EstimateCommand, ReadsTheSameInstructionsInAnotherFolder) {
  write("reduction.cu", solution("reduction"));
  std::filesystem::create_directory(folder / "other");
  write("other/reduction.cu", solution("reduction"));
  EXPECT_EQ(estimate_of({"reduction", "other/reduction.cu"}), estimate_of({"reduction", "reduction.cu"}));
}

TEST_F(EstimateCommand, NamesTheSourceOfEachNumber) {
  const ProgramRun ended =
      run({"estimate", "histogram", "shared", "--size", "100000", "--explain", "--gpu", "t4"});
  EXPECT_TRUE(contains(ended.out, "sectors updated, atomic_sectors_per_clock"));
  EXPECT_TRUE(contains(ended.out, "multiprocessors = 40: "));
}

TEST_F(EstimateCommand, RefusesAFileThatDescribesNoGpu) {
  write("mine.json", R"({"name": "Mine", "clock_hz": 1})");
  expect_refusal({"estimate", "histogram", "--gpu", "mine.json"}, 2,
                 R"("clock_hz" is not {"value": a positive number)");
}

TEST_F(EstimateCommand, IsShownWhenAKernelIsRight) {
  write("shared_histogram.cu", solution("histogram"));
  const ProgramRun solved = run({"check", "shared_histogram.cu", "--device", "simulator"});
  EXPECT_TRUE(contains(solved.out, "Estimated for 33 554 432 work items: on an"));
  EXPECT_FALSE(contains(solved.out, "than the course's")) << "too close to call";
  std::string slow = solution("histogram");
  const std::string word = "atomicAdd(&counts[input[item]]";
  slow.replace(slow.find(word), word.size(), "atomicAdd(&output[input[item]]");
  write("slow.cu", slow);
  const ProgramRun slower = run({"check", "slow.cu", "--exercise", "histogram", "--device", "simulator"});
  EXPECT_TRUE(contains(slower.out, " times slower than the course's, limited by global atomics on few"));
  const ProgramRun json =
      run({"check", "shared_histogram.cu", "--device", "simulator", "--format", "json", "--gpu", "l4"});
  const nlohmann::json predicted = nlohmann::json::parse(json.out)["checks"][0]["predicted"];
  EXPECT_EQ(predicted["gpu"], "L4");
  EXPECT_EQ(predicted["yours"]["seconds"], predicted["courses"]["seconds"]);
}

TEST_F(EstimateCommand, ComparesGpusInOneTable) {
  const ProgramRun table = run({"estimate", "coalescing", "--size", "2^16", "--gpu", "t4,h100"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_TRUE(contains(table.out, "T4") && contains(table.out, "H100")) << table.out;
  EXPECT_FALSE(contains(table.out, "bound")) << table.out;
  expect_refusal({"estimate", "coalescing", "--gpu", "t4,h100", "--format", "json"}, 2, "name one GPU");
  expect_refusal({"estimate", "coalescing", "--gpu", "t4,z9"}, 2, "there is no GPU 'z9'");
}

TEST_F(EstimateCommand, IsShownForEachShapeOfAProgramsLaunches) {
  write("twice.cu", R"(
__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
int main() {
  float* x;
  cudaMalloc(&x, 1 << 20);
  cudaMemset(x, 0, 1 << 20);
  for (int i = 0; i < 3; ++i) twice<<<1024, 256>>>(x, 1 << 18);
  twice<<<1, 32>>>(x, 32);
  cudaDeviceSynchronize();
  cudaFree(x);
})");
  const ProgramRun ended = run({"run", "--inspect", "twice.cu"});
  EXPECT_TRUE(contains(ended.err, "1024 x 256 threads, 3 launches: each "));
  EXPECT_TRUE(contains(ended.err, "1 x 32 threads: "));
  EXPECT_TRUE(contains(ended.err, "on an H200, estimated, limited by launch"));
  run({"run", "--inspect", "twice.cu", "--gpu", "t4", "--format", "json", "--output", "report.json"});
  const nlohmann::json report = nlohmann::json::parse(read(folder / "report.json"));
  const nlohmann::json& shape = report["kernels"][0]["predicted"][0];
  EXPECT_EQ(shape["launches"], 3);
  double kernels_s = 0;
  for (const nlohmann::json& entry : report["timeline"])
    if (entry["name"] == "twice") kernels_s += entry["end_s"].get<double>() - entry["start_s"].get<double>();
  EXPECT_NEAR(kernels_s,
              shape["seconds"].get<double>() + report["kernels"][0]["predicted"][1]["seconds"].get<double>(),
              1e-9);
}

// Predictions of a program's launches, by kernel. With nvcc installed, they use compiled instructions.
class PredictionsOfAProgram : public EstimateCommand {
 protected:
  nlohmann::json predicted(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"run", "--inspect", "--format", "json", "--output", "report.json"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(run(all).exit_code, 0);
    nlohmann::json kernels;
    const nlohmann::json report = nlohmann::json::parse(read(folder / "report.json"));
    for (const nlohmann::json& kernel : report["kernels"]) kernels[kernel["name"]] = kernel["predicted"];
    return kernels;
  }
  static void skip_without_nvcc(const nlohmann::json& predicted) {
    const bool has_nvcc = std::system("nvcc --version >/dev/null 2>&1") == 0;
    if (predicted["instructions"] == "guessed" && !has_nvcc) GTEST_SKIP() << "there is no nvcc";
  }
};

std::string main_with(const std::string& launches) {
  return "int main() {\n  int* x;\n  cudaMalloc(&x, 1 << 20);\n  cudaMemset(x, 0, 1 << 20);\n  " + launches +
         "\n  cudaDeviceSynchronize();\n  cudaFree(x);\n}\n";
}

TEST_F(PredictionsOfAProgram, TellInstantiationsOfATemplateApart) {
  write("fill.cu", "template <int n> __global__ void fill(int* x) { x[threadIdx.x] = n; }\n" +
                       main_with("fill<1><<<1, 32>>>(x); fill<2><<<1, 64>>>(x);"));
  const nlohmann::json kernels = predicted({"fill.cu"});
  EXPECT_EQ(kernels["fill<1>"][0]["threads_per_block"], 32);
  EXPECT_EQ(kernels["fill<2>"][0]["threads_per_block"], 64);
  skip_without_nvcc(kernels["fill<1>"][0]);
  EXPECT_EQ(kernels["fill<1>"][0]["instructions"], "compiled");
}

TEST_F(PredictionsOfAProgram, AreForTheGridThatTheProgramChoosesOnTheGpu) {
  const std::string kernel =
      "#include <cooperative_groups.h>\n__global__ void fill(int* x) { x[threadIdx.x] = 1; }\n";
  const std::string choice =
      "cudaDeviceProp p;\n  cudaGetDeviceProperties(&p, 0);\n  fill<<<p.multiProcessorCount * 2, 32>>>(x);";
  write("fill.cu", kernel + main_with(choice));
  EXPECT_EQ(predicted({"fill.cu", "--gpu", "h100"})["fill"][0]["blocks"], 2 * 132);
  EXPECT_EQ(predicted({"fill.cu", "--gpu", "t4"})["fill"][0]["blocks"], 2 * 40);
  const std::string all =
      "int blocks;\n  cudaDeviceProp p;\n  cudaGetDeviceProperties(&p, 0);\n"
      "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0);\n"
      "  void* arguments[] = {&x};\n"
      "  cudaLaunchCooperativeKernel(fill, p.multiProcessorCount * blocks, 256, arguments);";
  write("fill.cu", kernel + main_with(all));
  EXPECT_EQ(predicted({"fill.cu", "--gpu", "h100"})["fill"][0]["blocks"], 8 * 8) << "as many as run at once";
}

TEST_F(PredictionsOfAProgram, UseTheInstructionsOfEachFileWithItsHeadersAndMacros) {
  std::filesystem::create_directory(folder / "sums");
  write("sums/work.cuh", "__device__ int work(int i) { return i * FACTOR; }\n");
  write("other.cu",
        "#include \"work.cuh\"\nstatic __global__ void fill(int* x) { x[threadIdx.x] = work(x[0]); }\n"
        "void launch(int* x) { fill<<<1, 32>>>(x); }\n");
  write("fill.cu", "void launch(int* x);\n" + main_with("launch(x);"));
  const nlohmann::json fill = predicted({"-D", "FACTOR=2", "-I", "sums", "fill.cu", "other.cu"})["fill"][0];
  skip_without_nvcc(fill);
  EXPECT_EQ(fill["instructions"], "compiled");
}

TEST_F(PredictionsOfAProgram, AreMissingForALoopWithoutMemoryAccesses) {
  write("spin.cu",
        "__global__ void spin(int* x, int n) {\n  float sum = x[0];\n"
        "  for (int i = 0; i < n; ++i) sum = sum * sum + 0.5f;\n  x[threadIdx.x] = sum;\n}\n" +
            main_with("spin<<<1, 32>>>(x, 9);"));
  const nlohmann::json spin = predicted({"spin.cu"})["spin"][0];
  skip_without_nvcc(spin);
  EXPECT_EQ(spin["why_not"], "spin has a loop without memory accesses, whose iterations nobody counts");
  for (const char* field : {"seconds", "low_s", "high_s", "limiter"})
    EXPECT_TRUE(spin[field].is_null()) << field;
  const ProgramRun text = run({"run", "--inspect", "spin.cu"});
  EXPECT_TRUE(contains(text.err, "1 x 32 threads: not predicted, since spin has a loop "));
}

TEST_F(PredictionsOfAProgram, AreGuessedWhereNvccRefusesIt) {
  write("fill.cu",
        "#if __CUDACC_VER_BUILD__ > 0\n#error not for nvcc\n#endif\n"
        "__global__ void fill(int* x) { x[threadIdx.x] = 1; }\n" +
            main_with("fill<<<1, 32>>>(x);"));
  EXPECT_EQ(predicted({"fill.cu"})["fill"][0]["instructions"], "guessed");
  const ProgramRun text = run({"run", "--inspect", "fill.cu"});
  EXPECT_TRUE(contains(text.err, "so registers and instructions are guessed"));
  EXPECT_EQ(contains(text.err, "gpulab: nvcc: fill.cu does not compile: line 2"),
            contains(text.err, "nvcc did not compile it"));
}

}  // namespace
}  // namespace gpulab::cli
