#include "simulator/watch/access_recorder.hpp"

#include <gtest/gtest.h>

#include "lesson/access_sums_printer.hpp"

namespace gpulab::simulator::watch {
namespace {

using Recorded = AccessRecorder::Recorded;

const std::vector<AddressRange> global{{0x10000, 0x1000}, {0x90000, 0x1000}};

MemoryAccess load(std::uintptr_t address, std::uintptr_t code = 0x77) {
  return {MemoryAccess::Operation::load, address, 4, code};
}

TEST(AccessRecorder, PutsTheLanesOfAWarpTogether) {
  AccessRecorder recorder(global);
  for (unsigned thread = 0; thread < 64; ++thread)
    for (unsigned time = 0; time < 3; ++time)
      ASSERT_EQ(recorder.record(thread, load(0x10000 + 4 * thread)), Recorded::yes);
  recorder.fold_all();
  ASSERT_EQ(recorder.sites().size(), 1u);
  EXPECT_EQ(recorder.sites()[0].sums,
            (AccessSums{.requests = 6, .active_lanes = 192, .sectors = 24, .bytes = 768}));
}

TEST(AccessRecorder, CountsARequestWhenItsWarpIsFolded) {
  AccessRecorder recorder(global);
  recorder.record(0, load(0x10000));
  recorder.record(32, load(0x10000));
  EXPECT_EQ(recorder.sites()[0].sums.requests, 0u);
  recorder.fold(1);
  EXPECT_EQ(recorder.sites()[0].sums.requests, 1u);
  EXPECT_EQ(recorder.folds_of(0), 0u);
  EXPECT_EQ(recorder.folds_of(1), 1u);
  recorder.fold_all();
  recorder.fold_all();
  EXPECT_EQ(recorder.sites()[0].sums.requests, 2u);
}

TEST(AccessRecorder, TellsMemoryByItsAddress) {
  AccessRecorder recorder(global);
  recorder.set_shared_memory({0x50000, 0x100});
  for (const std::uintptr_t address : {0x10000, 0x90ffc, 0x50000, 0x91000, 0x50100, 0xfffc})
    EXPECT_EQ(recorder.record(0, load(address)), Recorded::yes);
  ASSERT_EQ(recorder.sites().size(), 2u);
  EXPECT_EQ(recorder.sites()[0].kind, AccessKind::global_load);
  EXPECT_EQ(recorder.sites()[1].kind, AccessKind::shared_load);
  recorder.fold_all();
  EXPECT_EQ(recorder.sites()[0].sums.requests, 2u);
  EXPECT_EQ(recorder.sites()[1].sums.requests, 1u);
}

TEST(AccessRecorder, IsFullUntilThereIsRoomAgain) {
  AccessRecorder recorder(global);
  unsigned times = 0;
  while (recorder.record(0, load(0x10000)) == Recorded::yes) ASSERT_LT(++times, 1000u);
  EXPECT_EQ(recorder.record(0, load(0x10000)), Recorded::warp_is_full);
  for (unsigned time = 0; time < times; ++time)  // the other lanes may still do what the first did
    ASSERT_EQ(recorder.record(1, load(0x10004)), Recorded::yes);
  recorder.make_room(0);
  EXPECT_EQ(recorder.record(0, load(0x10000)), Recorded::yes);
  recorder.fold_all();
  EXPECT_EQ(recorder.sites()[0].sums.requests, times + 1);
  EXPECT_EQ(recorder.sites()[0].sums.active_lanes, 2 * times + 1);
}

TEST(AccessRecorder, MakesRoomWhereOtherWarpsHaveTakenItAll) {
  AccessRecorder recorder(global);
  std::uint64_t recorded = 0;
  for (unsigned warp = 0; warp < 31; ++warp)
    for (std::uintptr_t code = 1; code <= AccessSites::most; ++code)
      recorded += recorder.record(32 * warp, load(0x10000, code)) == Recorded::yes;
  ASSERT_EQ(recorder.record(31 * 32, load(0x10000)), Recorded::warp_is_full);
  recorder.make_room(31);
  EXPECT_EQ(recorder.record(31 * 32, load(0x10000)), Recorded::yes);
  recorder.fold_all();
  std::uint64_t requests = 0;
  for (const AccessSite& site : recorder.sites()) requests += site.sums.requests;
  EXPECT_EQ(requests, recorded + 1);
}

TEST(AccessRecorder, SaysWhenThereAreTooManySites) {
  AccessRecorder recorder(global);
  for (std::uintptr_t code = 1; code <= AccessSites::most; ++code)
    ASSERT_EQ(recorder.record(0, load(0x10000, code)), Recorded::yes);
  EXPECT_EQ(recorder.record(0, load(0x10000, 0x7777)), Recorded::too_many_sites);
  EXPECT_EQ(recorder.record(0, load(0x10000, 1)), Recorded::yes);
}

}  // namespace
}  // namespace gpulab::simulator::watch
