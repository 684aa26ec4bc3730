#include "estimate/gpu.hpp"

#include "test.hpp"

namespace gpulab::estimate {
namespace {

TEST(Gpus, AreAllReadable) {
  for (const std::string& name : gpu_names()) {
    const Gpu gpu = gpu_of(name);
    EXPECT_FALSE(gpu.short_name.empty()) << name;
    EXPECT_TRUE(gpu.architecture.starts_with("sm_")) << name;
    EXPECT_GT(gpu.l2_bytes_per_s, gpu.dram_bytes_per_s) << name;
  }
}

TEST(Gpus, AreFoundInCapitalLetters) {
  EXPECT_EQ(gpu_of("RTX4090").short_name, gpu_of("rtx4090").short_name);
}

TEST(Gpus, ThatAreUnknownAreRefusedWithTheNames) {
  const auto error = thrown<UsageError>([&] { gpu_of("h20"); });
  EXPECT_NE(std::string(error.what()).find("h200"), std::string::npos) << error.what();
}

TEST(Gpus, HaveASourceForEachFigure) {
  for (const std::string& name : gpu_names())
    for (const GpuFigure& figure : gpu_of(name).figures)
      EXPECT_FALSE(figure.source.empty()) << name << ": " << figure.name;
}

TEST(Gpus, AreRefusedByWhatIsWrongInTheirFile) {
  const std::string begin = R"({"name": "X", "short_name": "X", "architecture": "sm_90")";
  const std::pair<std::string, std::string> cases[] = {
      {begin + "}", R"(it lacks "multiprocessors")"},
      {begin + R"(, "clock_hz": {"value": 0, "source": "me"}})",
       R"("clock_hz" is not {"value": a positive number)"},
      {begin + R"(, "clock_hz": {"value": 1e9}})", R"("clock_hz" is not {"value": a positive number)"},
      {begin + R"(, "clock": {"value": 1e9, "source": "me"}})", R"("clock" is not a field of a GPU)"},
      {R"({"name": 7})", R"("name" is not a string)"},
      {"[]", "it is not a JSON object"},
      {R"({"name": )", "it is not a whole JSON document: it is cut off or damaged at byte 10"},
  };
  for (const auto& [file, what] : cases) try {
      read_gpu(file);
      ADD_FAILURE() << file;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
}

// Compares with NVIDIA's occupancy calculator for compute capability 9.0: registers of a thread, shared bytes
// and threads of a block.
TEST(Occupancy, IsLimitedByWhatRunsOutFirst) {
  const Gpu h200 = gpu_of("h200");
  const Occupancy by_warps = occupancy_of(h200, 32, 0, 256);
  EXPECT_EQ(by_warps.blocks, 8u);
  EXPECT_EQ(by_warps.warps, 1);
  EXPECT_EQ(by_warps.limit, "warps");

  const Occupancy by_registers = occupancy_of(h200, 128, 0, 256);
  EXPECT_EQ(by_registers.blocks, 2u);
  EXPECT_EQ(by_registers.limit, "registers");

  const Occupancy by_shared = occupancy_of(h200, 32, 100 * 1024, 128);
  EXPECT_EQ(by_shared.blocks, 2u) << "1 KiB of each block is reserved";
  EXPECT_EQ(by_shared.limit, "shared memory");

  EXPECT_EQ(occupancy_of(h200, 16, 0, 32).blocks, 32u);
  EXPECT_EQ(occupancy_of(gpu_of("l4"), 32, 0, 1024).blocks, 1u) << "48 warps hold one block of 32";
}

KernelWork vector_add_of(double elements) {
  KernelWork work{
      .kernel = "add", .config = {{static_cast<unsigned>(elements / 256)}, {256}}, .registers = 12};
  const double warps = elements / 32;
  work.load_requests = 2 * warps;
  work.load_sectors = 8 * warps;
  work.load_bytes = work.bytes_loaded = work.bytes_loaded_by_blocks = 8 * elements;
  work.store_requests = warps;
  work.store_sectors = 4 * warps;
  work.bytes_stored = 4 * elements;
  work.instructions = 16 * warps;
  work.multiply_adds = warps;
  work.load_batches = 1;
  work.has_instructions = true;
  return work;
}

TEST(EstimateOfAVectorAdd, IsTheTimeOfALaunchIfItIsSmall) {
  const Estimate estimate = estimate_of(gpu_of("h200"), {vector_add_of(4096)}, 1);
  EXPECT_EQ(estimate.bounds.front().limiter, Limiter::launch);
  EXPECT_LT(estimate.low_s, 4.4e-6);
  EXPECT_GT(estimate.high_s, 4.4e-6) << "measured on an H200: 4.4 us";
}

TEST(EstimateOfAVectorAdd, ContainsTheTimeThatAnH200Takes) {
  const Estimate estimate = estimate_of(gpu_of("h200"), {vector_add_of(1 << 26)}, 1);
  EXPECT_LT(estimate.low_s, 233.7e-6);
  EXPECT_GT(estimate.high_s, 233.7e-6) << "measured: 233.7 us";
}

TEST(EstimateOfAVectorAdd, GrowsWithTheNumberOfLaunches) {
  const Gpu h200 = gpu_of("h200");
  const double once = estimate_of(h200, {vector_add_of(4096)}, 1).seconds;
  EXPECT_DOUBLE_EQ(estimate_of(h200, {vector_add_of(4096)}, 10).seconds, 10 * once);
  EXPECT_DOUBLE_EQ(estimate_of(h200, {vector_add_of(4096), vector_add_of(4096)}, 1).seconds, 2 * once);
}

TEST(EstimateOfScatteredLoads, IsLongerTheFewerSectorsOfALineAreWanted) {
  KernelWork in_8_lines = vector_add_of(1 << 22);  // a stride of eight floats: each sector of a line
  in_8_lines.load_sectors = 32 * in_8_lines.load_requests;
  in_8_lines.bytes_loaded_by_blocks = 32 * in_8_lines.load_sectors;
  in_8_lines.load_lines = 8 * in_8_lines.load_requests;
  KernelWork in_32_lines = in_8_lines;
  in_32_lines.load_lines = 32 * in_8_lines.load_requests;
  const Gpu h200 = gpu_of("h200");
  EXPECT_GT(estimate_of(h200, {in_32_lines}, 1).seconds, 1.5 * estimate_of(h200, {in_8_lines}, 1).seconds);
}

TEST(EstimateOfAtomics, IsLongerWhenAllUpdateOneWord) {
  KernelWork spread = vector_add_of(1 << 20);
  spread.atomic_requests = (1 << 20) / 32;
  spread.atomic_sectors = 20 * spread.atomic_requests;
  spread.atomic_turns = 2 * spread.atomic_requests;
  spread.atomic_words = 256;
  KernelWork one_word = spread;
  one_word.atomic_sectors = one_word.atomic_requests;
  one_word.atomic_turns = 32 * one_word.atomic_requests;
  one_word.atomic_words = 1;
  const Gpu h200 = gpu_of("h200");
  EXPECT_EQ(estimate_of(h200, {one_word}, 1).bounds.front().limiter, Limiter::atomics);
  EXPECT_GT(estimate_of(h200, {one_word}, 1).seconds, 2 * estimate_of(h200, {spread}, 1).seconds);
}

TEST(EstimateOfAVectorAdd, HasARangeAtLeastAsWideAsAsked) {
  const Estimate estimate = estimate_of(gpu_of("h200"), {vector_add_of(4096)}, 1, 1.8);
  EXPECT_DOUBLE_EQ(estimate.high_s, 1.8 * estimate.seconds);
  EXPECT_DOUBLE_EQ(estimate.low_s, estimate.seconds / 1.8);
}

TEST(EstimateOfCalls, IsNoneSinceNobodyCountsTheirInstructions) {
  KernelWork calls = vector_add_of(4096);
  EXPECT_EQ(estimate_of(gpu_of("h200"), {calls}, 1).why_not, "");
  calls.calls = 1;
  EXPECT_EQ(estimate_of(gpu_of("h200"), {calls}, 1).why_not,
            "add calls functions, whose instructions nobody counts");
}

}  // namespace
}  // namespace gpulab::estimate
