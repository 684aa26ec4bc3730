#include "simulator/watch/access_recorder.hpp"

#include "lesson/access_sums_printer.hpp"
#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

using Recorded = AccessRecorder::Recorded;

const std::vector<AddressRange> global{{0x10000, 0x1000}, {0x90000, 0x1000}};

MemoryAccess load(std::uintptr_t address, std::uintptr_t pc = 0x77) {
  return {MemoryAccess::Operation::load, address, 4, pc};
}

TEST(AccessRecorder, PutsTheLanesOfAWarpTogether) {
  AccessRecorder recorder(global);
  for (unsigned thread = 0; thread < 64; ++thread)
    for (unsigned turn = 0; turn < 3; ++turn)
      ASSERT_EQ(recorder.record(thread, load(0x10000 + 4 * thread)), Recorded::yes);
  recorder.fold_all_requests();
  ASSERT_EQ(recorder.sites().size(), 1u);
  EXPECT_EQ(recorder.sites()[0].sums,
            (AccessSums{.requests = 6, .active_lanes = 192, .sectors = 24, .bytes = 768}));
}

TEST(AccessRecorder, PutsAsManyLanesTogetherAsAWarpHas) {
  AccessRecorder recorder(global, WarpSize(64));
  for (unsigned thread = 0; thread < 96; ++thread) recorder.record(thread, load(0x10000 + 4 * thread));
  recorder.fold_all_requests();
  EXPECT_EQ(recorder.sites()[0].sums,
            (AccessSums{.requests = 2, .active_lanes = 96, .sectors = 12, .bytes = 384}));
}

TEST(AccessRecorder, CountsARequestWhenItsWarpIsFolded) {
  AccessRecorder recorder(global);
  recorder.record(0, load(0x10000));
  recorder.record(32, load(0x10000));
  EXPECT_EQ(recorder.sites()[0].sums.requests, 0u);
  recorder.fold_requests(1);
  EXPECT_EQ(recorder.sites()[0].sums.requests, 1u);
  EXPECT_EQ(recorder.folds_of(0), 0u);
  EXPECT_EQ(recorder.folds_of(1), 1u);
  recorder.fold_all_requests();
  recorder.fold_all_requests();
  EXPECT_EQ(recorder.sites()[0].sums.requests, 2u);
}

TEST(AccessRecorder, TellsTheKindOfMemoryByTheAddress) {
  AccessRecorder recorder(global);
  recorder.set_shared_memory({0x50000, 0x100});
  for (const std::uintptr_t address : {0x10000, 0x90ffc, 0x50000, 0x91000, 0x50100, 0xfffc})
    EXPECT_EQ(recorder.record(0, load(address)), Recorded::yes);
  ASSERT_EQ(recorder.sites().size(), 2u);
  EXPECT_EQ(recorder.sites()[0].kind, AccessKind::global_load);
  EXPECT_EQ(recorder.sites()[1].kind, AccessKind::shared_load);
  recorder.fold_all_requests();
  EXPECT_EQ(recorder.sites()[0].sums.requests, 2u);
  EXPECT_EQ(recorder.sites()[1].sums.requests, 1u);
}

TEST(AccessRecorder, IsFullUntilThereIsRoomAgain) {
  AccessRecorder recorder(global);
  unsigned times = 0;
  while (recorder.record(0, load(0x10000)) == Recorded::yes) ASSERT_LT(++times, 1000u);
  EXPECT_EQ(recorder.record(0, load(0x10000)), Recorded::warp_is_full);
  for (unsigned turn = 0; turn < times; ++turn)  // the other lanes may still do what the first did
    ASSERT_EQ(recorder.record(1, load(0x10004)), Recorded::yes);
  recorder.make_room(0);
  EXPECT_EQ(recorder.record(0, load(0x10000)), Recorded::yes);
  recorder.fold_all_requests();
  EXPECT_EQ(recorder.sites()[0].sums.requests, times + 1);
  EXPECT_EQ(recorder.sites()[0].sums.active_lanes, 2 * times + 1);
}

TEST(AccessRecorder, MakesRoomWhereOtherWarpsHaveTakenItAll) {
  AccessRecorder recorder(global);
  std::uint64_t recorded = 0;
  for (unsigned warp = 0; warp < 31; ++warp)
    for (std::uintptr_t pc = 1; pc <= AccessSites::capacity; ++pc)
      recorded += recorder.record(32 * warp, load(0x10000, pc)) == Recorded::yes;
  ASSERT_EQ(recorder.record(31 * 32, load(0x10000)), Recorded::warp_is_full);
  recorder.make_room(31);
  EXPECT_EQ(recorder.record(31 * 32, load(0x10000)), Recorded::yes);
  recorder.fold_all_requests();
  std::uint64_t requests = 0;
  for (const AccessSite& site : recorder.sites()) requests += site.sums.requests;
  EXPECT_EQ(requests, recorded + 1);
}

TEST(AccessRecorder, SaysWhenThereAreTooManySites) {
  AccessRecorder recorder(global);
  for (std::uintptr_t pc = 1; pc <= AccessSites::capacity; ++pc)
    ASSERT_EQ(recorder.record(0, load(0x10000, pc)), Recorded::yes);
  EXPECT_EQ(recorder.record(0, load(0x10000, 0x7777)), Recorded::too_many_sites);
  EXPECT_EQ(recorder.record(0, load(0x10000, 1)), Recorded::yes);
}

TEST(AccessRecorder, KeepsTheFirstOfTheCostliestRequests) {
  AccessRecorder recorder(global);
  for (const unsigned block : {0u, 1u}) {
    recorder.start_block({block, 0, 0});
    for (const unsigned step : {4u, 32u, 8u, 32u})
      for (unsigned lane = 0; lane < 32; ++lane) recorder.record(32 + lane, load(0x10000 + step * lane));
    recorder.fold_all_requests();
  }
  const RequestSample& kept = recorder.sites()[0].costliest;
  EXPECT_EQ(kept.addresses.of_lane[3], 0x10000u + 96);
  EXPECT_EQ(std::tuple(kept.addresses.lanes, kept.bytes, kept.excess), std::tuple(~0u, 4u, 28u));
  EXPECT_EQ(std::tuple(kept.block.x, kept.warp, kept.visit), std::tuple(0u, 1u, 1u));
}

TEST(AccessRecorder, TakesRequestsThatItOnlyCountedToBeLikeTheOthers) {
  std::vector<AccessSite> sites(1);
  sites[0] = {.pc = 0x77, .kind = AccessKind::shared_load, .bytes = 4};
  sites[0].sums = {.requests = 100, .active_lanes = 3200, .bank_wavefronts = 3200};
  sites[0].pattern = {.min_bank_wavefronts = 100, .costly_stride = {128, 3100}};
  sites[0].only_counted_lanes = 9600;
  const AccessCounts counts = accesses_by_line(sites);
  EXPECT_EQ(counts.lines[0].sums.requests, 400u);
  EXPECT_EQ(counts.lines[0].sums.bank_wavefronts, 12'800u);
  EXPECT_EQ(counts.lines[0].pattern,
            (AccessPattern{.min_bank_wavefronts = 400, .costly_stride = {128, 12'400}}));
}

TEST(AccessRecorder, KnowsTheLastThreadThatStoredEachWordInTheFirstBlock) {
  AccessRecorder recorder(global);
  recorder.set_shared_memory({0x50000, 16});
  for (const unsigned block : {0u, 1u}) {
    recorder.start_block({block, 0, 0});
    recorder.record(33, {MemoryAccess::Operation::store, 0x50004, 8, 0x77});
    recorder.record(2, {MemoryAccess::Operation::load, 0x50000, 4, 0x78});
    recorder.record(40 + block, {MemoryAccess::Operation::store, 0x50008, 4, 0x79});
    recorder.fold_all_requests();
  }
  const std::uint16_t none = SharedWriters::no_thread;
  EXPECT_EQ(recorder.writers(), (std::vector<std::uint16_t>{none, 33, 40, none}));
}

constexpr std::uintptr_t base = 0x10000;

// Returns the sums of a request in which each lane l of the mask accesses base + at(l).
template <class At>
AccessSums sums(AccessKind kind, unsigned bytes, At at, LaneMask lanes = ~0u) {
  LaneAddresses addresses;
  addresses.lanes = lanes;
  for (unsigned lane = 0; lane < 64; ++lane) addresses.of_lane[lane] = base + at(lane);
  return sums_of_request(kind, bytes, addresses);
}

auto stride(unsigned bytes) {
  return [bytes](unsigned lane) { return lane * bytes; };
}

template <class At>
AccessPattern pattern(AccessKind kind, unsigned bytes, At at, LaneMask lanes = ~0u) {
  LaneAddresses addresses;
  addresses.lanes = lanes;
  for (unsigned lane = 0; lane < 64; ++lane) addresses.of_lane[lane] = base + at(lane);
  return pattern_of_request(kind, bytes, addresses, sums_of_request(kind, bytes, addresses));
}

TEST(WarpRequest, Of64LanesCostsAsMuchAsTwoOf32) {
  const LaneMask all = ~LaneMask{0};
  EXPECT_EQ(sums(AccessKind::global_load, 4, stride(4), all),
            (AccessSums{.requests = 1, .active_lanes = 64, .sectors = 8, .bytes = 256}));
  for (const unsigned bytes : {4u, 8u, 16u})
    for (const unsigned step : {bytes, 32u, 128u}) {
      const auto wavefronts = [&](LaneMask lanes) {
        return sums(AccessKind::shared_load, bytes, stride(step), lanes).bank_wavefronts;
      };
      EXPECT_EQ(wavefronts(all), wavefronts(all >> 32) + wavefronts(all << 32))
          << bytes << " bytes, " << step << " apart";
      EXPECT_EQ(pattern(AccessKind::shared_load, bytes, stride(step), all).min_bank_wavefronts, bytes / 2);
    }
}

TEST(WarpRequest, HasAsManyPassesAsWavefronts) {
  for (const unsigned bytes : {1u, 4u, 8u, 16u})
    for (unsigned step = 0; step <= 33 * 16; step += bytes)
      for (const AccessKind kind : {AccessKind::shared_load, AccessKind::shared_store}) {
        LaneAddresses addresses{.lanes = ~0u};
        for (unsigned lane = 0; lane < 32; ++lane) addresses.of_lane[lane] = base + lane * step;
        ASSERT_EQ(bank_passes(kind, bytes, addresses).size(), sums(kind, bytes, stride(step)).bank_wavefronts)
            << bytes << " bytes, " << step << " apart";
      }
  LaneAddresses conflict{.lanes = 3};
  conflict.of_lane = {base, base + 128};
  const std::vector<BankPass> passes = bank_passes(AccessKind::shared_load, 4, conflict);
  EXPECT_EQ(std::tuple(passes[0][0], passes[1][0], passes[0][1]), std::tuple(1u, 2u, 0u));
}

TEST(WarpRequest, TouchesMoreSectorsTheLongerTheStride) {
  const auto sectors = [](unsigned step) { return sums(AccessKind::global_load, 4, stride(step)).sectors; };
  EXPECT_EQ(sectors(0), 1u);
  EXPECT_EQ(sectors(4), 4u);
  EXPECT_EQ(sectors(8), 8u);
  EXPECT_EQ(sectors(16), 16u);
  EXPECT_EQ(sectors(32), 32u);
  EXPECT_EQ(sectors(4096), 32u);
}

TEST(WarpRequest, TouchesTheSectorsOnBothSidesOfABoundary) {
  EXPECT_EQ(sums(AccessKind::global_load, 4, [](unsigned lane) { return 4 + 4 * lane; }).sectors, 5u);
  EXPECT_EQ(sums(AccessKind::global_load, 8, [](unsigned) { return 28; }).sectors, 2u);
}

TEST(WarpRequest, DoesNotDependOnTheOrderOfTheLanes) {
  const auto backwards = [](unsigned lane) { return 4 * (31 - lane); };
  EXPECT_EQ(sums(AccessKind::global_store, 4, backwards), sums(AccessKind::global_store, 4, stride(4)));
}

TEST(WarpRequest, CountsEveryByteOnce) {
  EXPECT_EQ(sums(AccessKind::global_load, 4, stride(0)).bytes, 4u);
  EXPECT_EQ(sums(AccessKind::global_load, 4, stride(2)).bytes, 66u);
  EXPECT_EQ(sums(AccessKind::global_load, 16, stride(16)).bytes, 512u);
}

TEST(WarpRequest, LeavesOutLanesThatDoNotTakePart) {
  EXPECT_EQ(sums(AccessKind::global_load, 4, stride(4), 0x80000001),
            (AccessSums{.requests = 1, .active_lanes = 2, .sectors = 2, .bytes = 8}));
}

TEST(WarpRequest, AsksABankOnceForEveryDifferentWord) {
  const auto wavefronts = [](unsigned bytes, auto at) {
    return sums(AccessKind::shared_load, bytes, at).bank_wavefronts;
  };
  EXPECT_EQ(wavefronts(4, stride(0)), 1u);
  EXPECT_EQ(wavefronts(4, stride(4)), 1u);
  EXPECT_EQ(wavefronts(4, stride(8)), 2u);
  EXPECT_EQ(wavefronts(4, stride(4 * 32)), 32u);
  EXPECT_EQ(wavefronts(4, stride(4 * 33)), 1u);
  EXPECT_EQ(wavefronts(1, stride(1)), 1u);
  EXPECT_EQ(wavefronts(1, stride(128)), 32u);
}

TEST(WarpRequest, ServesHalvesAndQuartersOfAWarpApart) {
  const auto wavefronts = [](unsigned bytes, unsigned step, std::uint32_t lanes = ~0u) {
    return sums(AccessKind::shared_store, bytes, stride(step), lanes).bank_wavefronts;
  };
  EXPECT_EQ(wavefronts(8, 8), 2u);
  EXPECT_EQ(wavefronts(8, 16), 4u);
  EXPECT_EQ(wavefronts(16, 16), 4u);
  EXPECT_EQ(wavefronts(16, 32), 8u);
  EXPECT_EQ(wavefronts(16, 16, 0xff), 1u);
}

TEST(WarpRequest, ServesQuartersThatWantTheSameWordsTogether) {
  const auto wavefronts = [](AccessKind kind, auto at) { return sums(kind, 16, at).bank_wavefronts; };
  const auto in_pairs = [](unsigned lane) { return lane / 2 * 16; };
  const auto next_but_one = [](unsigned lane) { return (lane / 4 * 2 + lane % 2) * 16; };
  const auto in_fours = [](unsigned lane) { return lane % 4 * 16; };
  EXPECT_EQ(wavefronts(AccessKind::shared_load, stride(0)), 2u) << "halves stay apart";
  EXPECT_EQ(wavefronts(AccessKind::shared_load, in_pairs), 2u);
  EXPECT_EQ(wavefronts(AccessKind::shared_load, next_but_one), 2u);
  EXPECT_EQ(wavefronts(AccessKind::shared_load, in_fours), 4u) << "not side by side";
  EXPECT_EQ(wavefronts(AccessKind::shared_store, in_pairs), 4u);
  EXPECT_EQ(pattern(AccessKind::shared_load, 16, in_pairs).min_bank_wavefronts, 2u);
}

TEST(WarpRequest, NeedsAsManySectorsAsItsBytesFill) {
  const auto least = [](unsigned bytes, auto at, std::uint32_t lanes = ~0u) {
    return pattern(AccessKind::global_load, bytes, at, lanes).min_sectors;
  };
  EXPECT_EQ(least(4, stride(4)), 4u);
  EXPECT_EQ(least(4, stride(128)), 4u);
  EXPECT_EQ(least(4, stride(0)), 1u);
  EXPECT_EQ(least(16, stride(16)), 16u);
  EXPECT_EQ(least(4, stride(4), 0x1ff), 2u) << "nine lanes";
}

TEST(WarpRequest, NeedsAWavefrontForEachPartOfTheWarp) {
  const auto least = [](unsigned bytes, unsigned step, std::uint32_t lanes = ~0u) {
    return pattern(AccessKind::shared_load, bytes, stride(step), lanes).min_bank_wavefronts;
  };
  EXPECT_EQ(least(4, 128), 1u);
  EXPECT_EQ(least(8, 8), 2u);
  EXPECT_EQ(least(16, 32), 4u);
  EXPECT_EQ(least(16, 16, 0xff), 1u);
}

TEST(WarpRequest, ReportsItsStrideAndWhatItWastes) {
  EXPECT_EQ(pattern(AccessKind::global_load, 4, stride(128)).costly_stride, (LaneStride{128, 28}));
  EXPECT_EQ(pattern(AccessKind::shared_load, 4, stride(8)).costly_stride, (LaneStride{8, 1}));
  EXPECT_EQ(pattern(AccessKind::global_load, 4, stride(4)).costly_stride, LaneStride{})
      << "no byte is wasted";
  const auto rows_of_16 = [](unsigned lane) { return lane % 16 * 8 + lane / 16 * 4096; };
  EXPECT_EQ(pattern(AccessKind::global_load, 4, rows_of_16).costly_stride, (LaneStride{8, 4}));
  const auto scattered = [](unsigned lane) { return lane * lane * 64; };
  EXPECT_EQ(pattern(AccessKind::global_load, 4, scattered).costly_stride, LaneStride{});
  EXPECT_EQ(pattern(AccessKind::global_load, 4, stride(4), 0x55555555).costly_stride, LaneStride{})
      << "no lane has a neighbour";
}

TEST(WarpRequest, CountsTheLanesOfAnAtomicAtTheBusiestAddress) {
  const auto three_meet = [](unsigned lane) { return lane % 10 == 7 ? 0 : 4 + 4 * lane; };
  EXPECT_EQ(sums(AccessKind::global_atomic, 4, three_meet).max_same_address, 3u);
  EXPECT_EQ(sums(AccessKind::shared_atomic, 4, stride(0)).max_same_address, 32u);
  EXPECT_EQ(sums(AccessKind::global_load, 4, stride(0)).max_same_address, 0u);
}

TEST(WarpRequest, CountsSectorsOfGlobalAndWavefrontsOfSharedMemoryOnly) {
  EXPECT_EQ(sums(AccessKind::global_load, 4, stride(4)).bank_wavefronts, 0u);
  EXPECT_EQ(sums(AccessKind::shared_load, 4, stride(4)).sectors, 0u);
}

}  // namespace
}  // namespace gpulab::simulator::watch
