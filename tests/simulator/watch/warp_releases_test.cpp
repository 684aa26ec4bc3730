#include "simulator/watch/checked_fixture.hpp"
#include "source_files.hpp"

// A warp whose lanes meet by __syncwarp(), and of which one lane publishes or learns for all of them.

namespace gpulab::simulator::watch {
namespace {

const std::string warp_release_kernels = source_text("tests/simulator/watch/warp_releases.cu");

class WarpReleases : public CheckedTest {
 protected:
  std::vector<Defect> found(const std::string& kernel, const device::ThreadOrder& order, unsigned threads) {
    return defects(warp_release_kernels, kernel, {.grid = 4, .block = threads}, order);
  }
  static int line(const std::string& word) { return line_of(warp_release_kernels, word); }
};

TEST_P(WarpReleases, PublishWhatAllLanesDidBeforeTheyMet) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    EXPECT_TRUE(are_none(found("from_warp_to_warp", order, 64)));
    EXPECT_TRUE(are_none(defects(warp_release_kernels, "by_half_a_warp", {.grid = 1, .block = 64}, order)));
    EXPECT_TRUE(are_none(found("last_block_of_warps", order, 32)));
    EXPECT_TRUE(are_none(found("each_lane_has_a_fence", order, 32)));
  }
}

TEST_P(WarpReleases, NeedAMeetingBeforeTheFenceAndOneAfter) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    for (const char* kernel : {"without_meeting_before", "without_a_fence", "without_meeting_after"})
      EXPECT_TRUE(has(found(kernel, order, 64), DefectKind::shared_race, line("write"), line("read")))
          << kernel;
    EXPECT_TRUE(
        has(found("beside_half_a_warp", order, 64), DefectKind::shared_race, line("beside"), line("beyond")));
    EXPECT_TRUE(has(found("last_block_that_did_not_meet", order, 32), DefectKind::global_race, line("part"),
                    line("sum")));
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, WarpReleases, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
