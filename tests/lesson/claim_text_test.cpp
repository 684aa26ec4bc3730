#include "lesson/words.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace {

TEST(ClaimText, SaysWhatIsClaimedInWords) {
  EXPECT_EQ(claim_text(at_least(2, "shared", "global")), "shared is at least 2x as fast as global");
  EXPECT_EQ(claim_text(no_faster("shared", "registers")), "shared is no faster than registers");
  EXPECT_EQ(claim_text(at_least_fewer(8, "sectors per load", "stride-1", "stride-32")),
            "stride-1 has at least 8x fewer sectors per load than stride-32");
}

}  // namespace
}  // namespace gpulab
