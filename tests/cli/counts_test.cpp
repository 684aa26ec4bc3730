#include "cli/options.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "text_contains.hpp"

namespace gpulab::cli {
namespace {

using Values = std::vector<std::uint64_t>;

Values counts(const std::string& text) {
  return parse_counts("--size", text);
}

void expect_refused(const std::string& text, const std::string& why) {
  try {
    counts(text);
    ADD_FAILURE() << text << " was accepted";
  } catch (const UsageError& error) {
    EXPECT_TRUE(contains(error.what(), why)) << text << ": " << error.what();
    EXPECT_FALSE(contains(error.what(), "\n")) << text;
  }
}

TEST(Counts, AreOneOrMoreWithCommasBetween) {
  EXPECT_EQ(counts("1000"), Values{1000});
  EXPECT_EQ(counts("2^10,32Ki,1e3"), (Values{1024, 32768, 1000}));
}

TEST(Counts, OfARangeWithAFactorHaveBothEndsIfTheyAreHit) {
  EXPECT_EQ(counts("2^20..2^28:x4"), (Values{1u << 20, 1u << 22, 1u << 24, 1u << 26, 1u << 28}));
  EXPECT_EQ(counts("2^20..2^27:x4"), (Values{1u << 20, 1u << 22, 1u << 24, 1u << 26}));
  EXPECT_EQ(counts("7..7:x2"), Values{7});
}

TEST(Counts, OfARangeWithAStepHaveBothEndsIfTheyAreHit) {
  EXPECT_EQ(counts("1000..5000:+1000"), (Values{1000, 2000, 3000, 4000, 5000}));
  EXPECT_EQ(counts("1000..4999:+2000"), (Values{1000, 3000}));
  EXPECT_EQ(counts("1Ki..2Ki:+2^9"), (Values{1024, 1536, 2048}));
}

TEST(Counts, KeepTheirOrderAndEachComesOnce) {
  EXPECT_EQ(counts("5000,1000..5000:+2000,1000,7"), (Values{5000, 1000, 3000, 7}));
}

TEST(Counts, ReachTheLargestNumbersWithoutAnOverflow) {
  EXPECT_EQ(counts("2^61..2^62:x2"), (Values{1ull << 61, 1ull << 62}));
  EXPECT_EQ(counts("2^62..2^62:x2^62"), Values{1ull << 62});
  EXPECT_EQ(counts("2^62..2^62:+2^62"), Values{1ull << 62});
}

TEST(Counts, RefuseAnEmptyPlace) {
  expect_refused("", "--size needs a value");
  for (const char* text : {",", "1000,", ",1000", "1000,,2000"})
    expect_refused(text, "has a comma without a value beside it");
}

TEST(Counts, RefuseWhatIsNoCount) {
  expect_refused("1000,abc", "--size 'abc' is not a count");
  expect_refused("-5", "--size -5 is negative");
  expect_refused("0..8:x2", "--size 0 is too small");
  expect_refused("1..2^70:x2", "--size 2^70 is larger than any memory");
}

TEST(Counts, RefuseARangeThatIsNotWhole) {
  for (const char* text :
       {"1000..5000", "1000..5000:", "1000..5000:1000", "..5000:x2", "1000..:x2", "1..2:*2"})
    expect_refused(text, "is no range; write it as 2^20..2^28:x4 or 1000..5000:+1000");
}

TEST(Counts, RefuseARangeThatGoesDownOrStandsStill) {
  expect_refused("5000..1000:+1000", "--size 5000..1000:+1000 goes down; write the smaller end first");
  expect_refused("2^28..2^20:x4", "goes down");
  expect_refused("1..8:x1", "the factor of --size 1..8:x1 is too small; it must be at least 2");
  expect_refused("1..8:x0", "the factor of --size 0 is too small");
  expect_refused("1..8:+0", "the step of --size 0 is too small; it must be at least 1");
}

TEST(Counts, RefuseMoreThanAThousand) {
  EXPECT_EQ(counts("1..1000:+1,1..1000:+1").size(), 1000u);
  expect_refused("1..1001:+1", "--size names more than 1 000 values; take a larger step or factor");
  expect_refused("1..2^62:+1", "more than 1 000 values");
}

}  // namespace
}  // namespace gpulab::cli
