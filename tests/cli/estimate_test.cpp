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

// On the simulator this product takes minutes, and each of its blocks millions of accesses.
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

TEST_F(EstimateCommand, TellsStridesApart) {
  const auto seconds = [&](const char* stride) {
    return estimate_of({"coalescing", stride, "--size", "4194304"})["seconds"].get<double>();
  };
  EXPECT_GT(seconds("stride-16"), 1.15 * seconds("stride-8"));
  EXPECT_GT(seconds("stride-32"), 1.3 * seconds("stride-16"));
}

TEST_F(EstimateCommand, SaysThatAKernelIsWrongBeforeItIsEstimated) {
  write("first_kernel.cu",
        "__global__ void vector_add_global_index(const float*, const float*, float* C, int) { *C = 0; }");
  const ProgramRun ended = run({"estimate", "first_kernel.cu"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(contains(ended.out, "global-index: 2 047 of 2 048 unwritten")) << ended.out;
}

TEST_F(EstimateCommand, NamesTheSourceOfEachNumber) {
  const ProgramRun ended =
      run({"estimate", "histogram", "shared", "--size", "100000", "--explain", "--gpu", "t4"});
  EXPECT_TRUE(contains(ended.out, "sectors updated, atomic_sectors_per_clock")) << ended.out;
  EXPECT_TRUE(contains(ended.out, "multiprocessors = 40: ")) << ended.out;
}

TEST_F(EstimateCommand, RefusesAFileThatDescribesNoGpu) {
  write("mine.json", R"({"name": "Mine", "clock_hz": 1})");
  expect_refusal({"estimate", "histogram", "--gpu", "mine.json"}, 2,
                 R"("clock_hz" is not {"value": a positive number)");
}

TEST_F(EstimateCommand, IsShownWhenAKernelIsRight) {
  write("shared_histogram.cu", solution("histogram"));
  const ProgramRun same = run({"check", "shared_histogram.cu", "--device", "simulator"});
  EXPECT_TRUE(contains(same.out, "Estimated: on an H200 ")) << same.out;
  EXPECT_FALSE(contains(same.out, "than the course's")) << "too close to call";
  std::string slow = solution("histogram");
  const std::string word = "atomicAdd(&counts[input[item]]";
  slow.replace(slow.find(word), word.size(), "atomicAdd(&output[input[item]]");
  write("slow.cu", slow);
  const ProgramRun slower = run({"check", "slow.cu", "--exercise", "histogram", "--device", "simulator"});
  EXPECT_TRUE(contains(slower.out, " times slower than the course's, limited by global atomics on 256 words"))
      << slower.out;
  const ProgramRun json =
      run({"check", "shared_histogram.cu", "--device", "simulator", "--format", "json", "--gpu", "l4"});
  const nlohmann::json predicted = nlohmann::json::parse(json.out)["checks"][0]["predicted"];
  EXPECT_EQ(predicted["gpu"], "L4");
  EXPECT_EQ(predicted["yours"]["seconds"], predicted["courses"]["seconds"]);
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
  EXPECT_TRUE(contains(ended.err, "1024 x 256 threads, 3 launches: each ")) << ended.err;
  EXPECT_TRUE(contains(ended.err, "1 x 32 threads: ")) << ended.err;
  EXPECT_TRUE(contains(ended.err, "on an H200, estimated, limited by launch")) << ended.err;
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

}  // namespace
}  // namespace gpulab::cli
