#include <nlohmann/json.hpp>

#include "cli/program_fixture.hpp"
#include "run/ranks/mpirun_fixture.hpp"
#include "text_contains.hpp"

namespace gpulab::cli {
namespace {

// The program, started by mpirun: each process simulates a GPU of its own.
class RanksOfMpirun : public run::ranks::MpirunTest {
 protected:
  void SetUp() override {
    MpirunTest::SetUp();
    if (!std::getenv("GPULAB_PROGRAM")) GTEST_SKIP() << "GPULAB_PROGRAM does not say where the program is";
  }

  sandbox::CommandResult ranks(int count, const Words& words) {
    Words all = of_ranks(count, words);
    return mpirun(all, {"XDG_CACHE_HOME=" + simulator::kernel_cache_of_tests().string(),
                        "CUDA_VISIBLE_DEVICES=", "OMP_NUM_THREADS=1", "GPULAB_TIME_LIMIT=20"});
  }

  static Words of_ranks(int count, const Words& words) {
    Words all{"-n", std::to_string(count), std::getenv("GPULAB_PROGRAM")};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--device", "simulator", "--quiet"});
    return all;
  }
};

TEST_F(RanksOfMpirun, WriteOneDocumentThatHasThemAll) {
  const auto result = ranks(4, {"multi-gpu", "--size", "1001", "--format", "json"});
  ASSERT_EQ(result.exit_status, 0) << result.output;
  const auto document = nlohmann::json::parse(result.output);
  for (const auto& variant : document["variants"]) {
    if (variant["name"] != "all-reduce") continue;
    ASSERT_EQ(variant["ranks"].size(), 4u);
    for (int rank = 0; rank < 4; ++rank)
      EXPECT_EQ(variant["ranks"][static_cast<std::size_t>(rank)]["rank"], rank);
    return;
  }
  FAIL() << result.output;
}

TEST_F(RanksOfMpirun, ExchangeTheirHalos) {
  const auto result = ranks(3, {"halo-exchange", "--width", "67", "--height", "101", "--format", "csv"});
  EXPECT_EQ(result.exit_status, 0) << result.output;
}

TEST_F(RanksOfMpirun, PrintATableWithoutColours) {
  const auto result = ranks(2, {"multi-gpu", "--size", "1001"});
  EXPECT_EQ(result.exit_status, 0) << result.output;
  EXPECT_FALSE(contains(result.output, "\033")) << "mpirun gives each process a terminal: " << result.output;
  EXPECT_EQ(result.output.find("variant "), result.output.rfind("variant ")) << result.output;
}

TEST_F(RanksOfMpirun, RefuseWhatIsTypedOnce) {
  const auto result = ranks(2, {"multi-gpu", "--size", "1001", "--gpus", "3"});
  EXPECT_EQ(result.exit_status, 2);
  expect_said_once(result, "gpulab: ");
}

TEST_F(RanksOfMpirun, EndWhenTheyAreToDoDifferentThings) {
  Words words = of_ranks(1, {"multi-gpu", "--size", "1001"});
  words.emplace_back(":");
  const Words others = of_ranks(1, {"halo-exchange", "--width", "67", "--height", "101"});
  words.insert(words.end(), others.begin(), others.end());
  const auto result = mpirun(words, {"GPULAB_TIME_LIMIT=5"});
  EXPECT_NE(result.exit_status, 0);
  EXPECT_LT(seconds, 20);
  EXPECT_TRUE(contains(result.output, "rank")) << result.output;
}

}  // namespace
}  // namespace gpulab::cli
