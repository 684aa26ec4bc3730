#include "lesson/result.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace costly_access_test {

LineAccesses loads(int line, std::uint64_t requests, std::uint64_t sectors) {
  return {line,
          AccessKind::global_load,
          {.requests = requests,
           .active_lanes = 32 * requests,
           .sectors = sectors * requests,
           .bytes = 128 * requests},
          {.min_sectors = 4 * requests}};
}

LineAccesses shared(int line, AccessKind kind, std::uint64_t wavefronts, std::uint64_t lanes = 32) {
  return {line,
          kind,
          {.requests = 100, .active_lanes = 100 * lanes, .bank_wavefronts = 100 * wavefronts},
          {.min_bank_wavefronts = 100}};
}

std::optional<CostlyAccess> costliest(const std::vector<LineAccesses>& lines) {
  AccessCounts counts;
  for (const LineAccesses& accesses : lines) counts.add(accesses);
  return costliest_access(counts);
}

TEST(CostliestAccess, IsWhereMostSectorsAreTouchedInVain) {
  const auto found = costliest({loads(7, 100, 4), loads(8, 100, 32), loads(9, 10, 32)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->accesses.line, 8);
  EXPECT_EQ(found->cost, AccessCost::sectors);
}

TEST(CostliestAccess, IsWhereBanksOrAtomicsMeet) {
  EXPECT_EQ(costliest({loads(7, 100, 4), shared(8, AccessKind::shared_store, 32)})->cost,
            AccessCost::bank_conflicts);
  LineAccesses atomics = shared(9, AccessKind::shared_atomic, 1);
  atomics.sums.max_same_address = 3200;
  EXPECT_EQ(costliest({loads(7, 100, 4), atomics})->cost, AccessCost::same_address);
}

TEST(CostliestAccess, IsWhereMostLanesAreIdleIfNothingElseIs) {
  const auto found = costliest({loads(7, 10, 4), shared(8, AccessKind::shared_load, 1, 5)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->accesses.line, 8);
  EXPECT_EQ(found->cost, AccessCost::idle_lanes);
}

TEST(CostliestAccess, IsNoneWhereLittleIsInVain) {
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

}  // namespace costly_access_test
}  // namespace gpulab
