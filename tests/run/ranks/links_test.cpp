#include "run/ranks/links.hpp"

#include <gtest/gtest.h>

#include "run/fake_device.hpp"

namespace gpulab::run::ranks {
namespace {

// A GPU with peers: a copy to one takes its copy_s.
class FakePeer : public FakeDevice {
 public:
  bool can_reach(const device::Device&) const override { return reaches; }
  void reach(device::Device&) override { ++times_reached; }
  void copy_to_peer(device::Device&, device::DevicePointer to, device::DevicePointer from, std::size_t bytes,
                    device::Stream& stream) override {
    copy_within(to, from, bytes, stream);
  }

  bool reaches = true;
  int times_reached = 0;
};

TEST(Links, AreTimedBothWaysAlike) {
  FakePeer from, to;
  from.copy_s = to.copy_s = 0.5;
  EXPECT_DOUBLE_EQ(peer_bytes_per_s(from, to, 1000), 2000);
  EXPECT_DOUBLE_EQ(peer_bytes_per_s_both_ways(from, to, 1000), 4000);
  EXPECT_DOUBLE_EQ(peer_latency_s(from, to), 0.5);
}

TEST(Links, LetDevicesReachEachOtherWhereTheyCan) {
  FakePeer from, to;
  to.reaches = false;
  peer_bytes_per_s(from, to, 8);
  EXPECT_EQ(from.times_reached, 1);
  EXPECT_EQ(to.times_reached, 0);
  EXPECT_TRUE(from.allocations.empty());
  EXPECT_TRUE(to.allocations.empty());
}

}  // namespace
}  // namespace gpulab::run::ranks
