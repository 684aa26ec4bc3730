#include "lesson/access_counts.hpp"

#include "base/cpu_vectors.hpp"
#include "lesson/access_sums_printer.hpp"
#include "lesson/result.hpp"
#include "test.hpp"

namespace gpulab {
namespace access_counts_test {

AccessCounts some_counts() {
  AccessCounts counts;
  counts.add({9, AccessKind::shared_load, {.requests = 2, .active_lanes = 64, .bank_wavefronts = 34}});
  counts.add({7, AccessKind::global_store, {.requests = 1, .active_lanes = 32, .sectors = 32, .bytes = 128}});
  counts.add({7, AccessKind::global_load, {.requests = 2, .active_lanes = 64, .sectors = 8, .bytes = 256}});
  counts.add({8, AccessKind::global_load, {.requests = 2, .active_lanes = 32, .sectors = 24, .bytes = 128}});
  counts.add({9,
              AccessKind::shared_atomic,
              {.requests = 1, .active_lanes = 32, .bank_wavefronts = 3, .max_same_address = 7}});
  return counts;
}

TEST(AccessCounts, AreInTheOrderOfLinesAndKinds) {
  const AccessCounts counts = some_counts();
  ASSERT_EQ(counts.lines.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(counts.lines[i].line, (std::vector{7, 7, 8, 9, 9})[i]);
  EXPECT_EQ(counts.lines[0].kind, AccessKind::global_load);
  EXPECT_EQ(counts.lines[1].kind, AccessKind::global_store);
}

TEST(AccessCounts, AddUpWhatHasTheSameLineAndKind) {
  AccessCounts counts = some_counts();
  counts.add({8, AccessKind::global_load, {.requests = 1, .active_lanes = 1, .sectors = 1, .bytes = 4}});
  EXPECT_EQ(counts.lines.size(), 5u);
  EXPECT_EQ(sums_of(counts, AccessKind::global_load),
            (AccessSums{.requests = 5, .active_lanes = 97, .sectors = 33, .bytes = 388}));
}

TEST(AccessCounts, GiveMeansOverRequests) {
  const AccessCounts counts = some_counts();
  EXPECT_EQ(sectors_per_request(counts, AccessKind::global_load), 8);
  EXPECT_EQ(sectors_per_request(counts, AccessKind::global_store), 32);
  EXPECT_EQ(active_lanes_per_request(counts), 28);
  EXPECT_EQ(wavefronts_per_request(counts, AccessKind::shared_load), 17);
  EXPECT_EQ(wavefronts_per_request(counts, AccessKind::global_load), 0) << "global memory has no banks";
  EXPECT_EQ(max_same_address_per_request(counts), 7);
  EXPECT_EQ(sector_efficiency(sums_of(counts, AccessKind::global_store)), 0.125);
}

TEST(AccessCounts, HaveMeansOfZeroWhereThereIsNothing) {
  EXPECT_EQ(sectors_per_request({}, AccessKind::global_load), 0);
  EXPECT_EQ(sector_efficiency(AccessSums{}), 0);
}

TEST(LaneStride, IsTheOneWithMostVotesInWhateverOrderTheyCome) {
  LaneStride stride;
  for (const std::int64_t bytes : {4, 128, 128, 8, 128, 128}) stride += {bytes, 1};
  EXPECT_EQ(stride.bytes, 128);
  LaneStride other{128, 2};
  other += stride;
  EXPECT_EQ(other, (LaneStride{128, 2 + stride.votes}));
}

TEST(LaneStride, NeverHasMoreVotesThanItGot) {
  LaneStride stride{4, 3};
  stride += {8, 2};
  EXPECT_EQ(stride, (LaneStride{4, 1}));
  stride += {-16, 5};
  EXPECT_EQ(stride, (LaneStride{-16, 4}));
}

TEST(AccessPattern, AddsUp) {
  AccessPattern pattern{.min_sectors = 4, .costly_stride = {8, 4}};
  pattern += {.min_sectors = 1, .min_bank_wavefronts = 2, .costly_stride = {8, 1}};
  EXPECT_EQ(pattern, (AccessPattern{.min_sectors = 5, .min_bank_wavefronts = 2, .costly_stride = {8, 5}}));
}

LineAccesses loads(int line, std::uint64_t requests, std::uint64_t sectors_each) {
  return {line,
          AccessKind::global_load,
          {.requests = requests,
           .active_lanes = 32 * requests,
           .sectors = sectors_each * requests,
           .bytes = 128 * requests},
          {.min_sectors = 4 * requests}};
}

LineAccesses shared_accesses(int line, AccessKind kind, std::uint64_t wavefronts_each,
                             std::uint64_t lanes = 32) {
  return {line,
          kind,
          {.requests = 100, .active_lanes = 100 * lanes, .bank_wavefronts = 100 * wavefronts_each},
          {.min_bank_wavefronts = 100}};
}

std::optional<CostlyAccess> costliest(const std::vector<LineAccesses>& lines) {
  AccessCounts counts;
  for (const LineAccesses& accesses : lines) counts.add(accesses);
  return costliest_access(counts);
}

TEST(CostliestAccess, IsWhereMostSectorsAreWasted) {
  const auto found = costliest({loads(7, 100, 4), loads(8, 100, 32), loads(9, 10, 32)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->accesses.line, 8);
  EXPECT_EQ(found->cost, AccessCost::sectors);
}

TEST(CostliestAccess, IsWhereBanksConflictOrAtomicsMeet) {
  EXPECT_EQ(costliest({loads(7, 100, 4), shared_accesses(8, AccessKind::shared_store, 32)})->cost,
            AccessCost::bank_conflicts);
  LineAccesses atomics = shared_accesses(9, AccessKind::shared_atomic, 1);
  atomics.sums.max_same_address = 3200;
  EXPECT_EQ(costliest({loads(7, 100, 4), atomics})->cost, AccessCost::same_address);
}

TEST(CostliestAccess, IsWhereMostLanesAreIdleIfNothingElseIs) {
  const auto found = costliest({loads(7, 10, 4), shared_accesses(8, AccessKind::shared_load, 1, 5)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->accesses.line, 8);
  EXPECT_EQ(found->cost, AccessCost::idle_lanes);
}

TEST(CostliestAccess, IsNoneIfLittleIsWasted) {
  EXPECT_FALSE(costliest({}));
  EXPECT_FALSE(costliest({loads(7, 100, 4)}));
  EXPECT_FALSE(costliest({loads(7, 1000, 4), loads(8, 1, 32)})) << "one request of a thousand";
  EXPECT_TRUE(costliest({loads(7, 100, 5)})) << "a quarter more than the line needs";
}

TEST(CostliestAccess, HasTheStrideThatCausesMostOfIt) {
  LineAccesses strided = loads(8, 100, 32);
  strided.pattern.costly_stride = {128, 2000};
  EXPECT_EQ(stride_of({strided, AccessCost::sectors}), 128);
  strided.pattern.costly_stride.votes = 1400;
  EXPECT_FALSE(stride_of({strided, AccessCost::sectors})) << "that is half of 2 800";
}

TEST(FloatsBeforeLine, LeadToAnAddressThatIsAMultipleOf64) {
  alignas(64) const float line[32] = {};
  EXPECT_EQ(floats_before_line(line), 0u);
  EXPECT_EQ(floats_before_line(line + 1), 15u);
  EXPECT_EQ(floats_before_line(line + 15), 1u);
  EXPECT_EQ(floats_before_line(line + 16), 0u);
}

TEST(LineAligned, BeginsAtALine) {
  LineAligned<float> values;
  for (const std::size_t size : {1, 1000, 100'000}) {
    values.resize(size);
    EXPECT_EQ(floats_before_line(values.data()), 0u) << size;
  }
}

TEST(StreamingCopy, CopiesAnyLengthToAnyAddressAndNothingBeside) {
  std::vector<float> from(300);
  std::iota(from.begin(), from.end(), 1.0f);
  for (std::size_t offset = 0; offset < 20; ++offset)
    for (const std::size_t count : {0, 1, 3, 15, 16, 17, 64, 257}) {
      std::vector<float> to(offset + count + 20, -1);
      streaming_copy(&from[7], count, &to[offset]);
      for (std::size_t i = 0; i < to.size(); ++i) {
        const bool is_inside = i >= offset && i < offset + count;
        ASSERT_EQ(to[i], is_inside ? from[7 + i - offset] : -1) << offset << ", " << count << ", " << i;
      }
    }
}

}  // namespace access_counts_test
}  // namespace gpulab
