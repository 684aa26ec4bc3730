#include "run/ranks/links.hpp"

#include "base/error.hpp"
#include "run/fake_device.hpp"
#include "run/ranks/ranked_execution.hpp"
#include "test.hpp"

namespace gpulab::run::ranks {
namespace {

// A GPU with peers: a copy to a peer takes the copy_s of the GPU that it starts from.
class FakePeer : public FakeDevice {
 public:
  bool can_reach(const device::Device&) const override { return can_reach_peers; }
  void enable_peer_access(device::Device&) override { ++enabled_peers; }
  void copy_to_peer(device::Device&, device::DevicePointer to, device::DevicePointer from, std::size_t bytes,
                    device::Stream& stream) override {
    copy_within(to, from, bytes, stream);
  }

  bool can_reach_peers = true;
  int enabled_peers = 0;
};

TEST(Links, HaveTheRatesAndTheLatencyOfTheirCopies) {
  FakePeer from, to;
  from.copy_s = to.copy_s = 0.5;
  EXPECT_DOUBLE_EQ(peer_bytes_per_s(from, to, 1000), 2000);
  EXPECT_DOUBLE_EQ(peer_bytes_per_s_both_ways(from, to, 1000), 4000);
  EXPECT_DOUBLE_EQ(peer_latency_s(from, to), 0.5);
}

TEST(Links, EnablePeerAccessWhereItIsPossible) {
  FakePeer from, to;
  to.can_reach_peers = false;
  peer_bytes_per_s(from, to, 8);
  EXPECT_EQ(from.enabled_peers, 1);
  EXPECT_EQ(to.enabled_peers, 0);
  EXPECT_TRUE(from.allocations.empty());
  EXPECT_TRUE(to.allocations.empty());
}

std::string error_of(RankScheduler& scheduler, int count, const std::function<void(int)>& work) {
  return message_thrown<Error>([&] { scheduler.run(count, work); }, "none");
}

TEST(RankScheduler, LetsOneRankRunAtATimeInAnOrderThatIsAlwaysTheSame) {
  std::string order;
  int arrived = 0;
  RankScheduler scheduler(0);
  scheduler.run(3, [&](int k) {
    order += std::to_string(k);
    ++arrived;
    scheduler.wait(k, "a meeting", [&] { return arrived == 3; });
    order += static_cast<char>('a' + k);
  });
  EXPECT_EQ(order, "012cab");
}

TEST(RankScheduler, GoesOnWithTheSameRankWhereItNeedNotWait) {
  std::string order;
  RankScheduler scheduler(0);
  scheduler.run(2, [&](int k) {
    scheduler.wait(k, "nothing", [] { return true; });
    order += std::to_string(k);
  });
  EXPECT_EQ(order, "01");
}

TEST(RankScheduler, SaysWhoWaitsWhereWhenNobodyCanGoOn) {
  RankScheduler scheduler(4);
  const std::string error = error_of(scheduler, 3, [&](int k) {
    if (k == 2) return;
    scheduler.wait(k, k == 0 ? "the all-reduce of output" : "a barrier", [] { return false; });
  });
  EXPECT_EQ(error,
            "deadlock: the ranks wait for each other: rank 4 waits in the all-reduce of output, rank 5 waits "
            "in a barrier, rank 6 has ended; all of them must make the same calls in the same order");
}

TEST(RankScheduler, SaysWhereTheOnlyRankWaits) {
  RankScheduler scheduler(2);
  EXPECT_NE(error_of(scheduler, 1, [&](int k) { scheduler.wait(k, "a barrier", [] { return false; }); })
                .find("rank 2 waits in a barrier"),
            std::string::npos);
}

TEST(RankScheduler, EndsAllRanksWithTheErrorOfTheFirstThatFails) {
  std::vector<bool> came_to_the_end(3);
  RankScheduler scheduler(0);
  const std::string error = error_of(scheduler, 3, [&](int k) {
    if (k == 1) throw Error(ExitCode::device, "rank 1 has failed");
    scheduler.wait(k, "a barrier", [] { return false; });
    came_to_the_end[static_cast<std::size_t>(k)] = true;
  });
  EXPECT_EQ(error, "rank 1 has failed");
  EXPECT_EQ(came_to_the_end, std::vector<bool>(3));
}

TEST(RankScheduler, CanBeRunAgainAfterAnError) {
  RankScheduler scheduler(0);
  error_of(scheduler, 2, [](int) { throw Error(ExitCode::device, "once"); });
  int ran = 0;
  scheduler.run(2, [&](int) { ++ran; });
  EXPECT_EQ(ran, 2);
}

}  // namespace
}  // namespace gpulab::run::ranks
