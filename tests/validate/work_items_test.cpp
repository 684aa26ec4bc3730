#include "validate/work_items.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace {

TEST(WorkItems, NamesTheBlockAndThreadOfAnElement) {
  const WorkItems items{.launch = {.grid = {10}, .block = {1024}}};
  const auto owner = owner_of(items, 10'000);
  ASSERT_TRUE(owner);
  EXPECT_EQ(text_of(*owner), "block 9 thread 784");
}

TEST(WorkItems, CountsABlockOfMoreThanOneDimension) {
  const WorkItems items{.launch = {.grid = {2, 3}, .block = {8, 4}}};
  EXPECT_EQ(text_of(*owner_of(items, 191)), "block 5 thread 31");
  EXPECT_FALSE(owner_of(items, 192));
}

TEST(WorkItems, NamesNobodyBeyondTheLaunchedThreads) {
  const WorkItems items{.launch = {.grid = {1}, .block = {1024}}};
  EXPECT_TRUE(owner_of(items, 1023));
  EXPECT_FALSE(owner_of(items, 1024));
  EXPECT_EQ(owner_in_brackets(items, 1024), "");
}

TEST(WorkItems, AsksForTheItemOfAnElementWhereTheyAreNotTheSame) {
  const WorkItems items{.launch = {.grid = {4}, .block = {256}},
                        .item_of = [](std::size_t bin) { return 300 + bin; }};
  EXPECT_EQ(owner_in_brackets(items, 7), " (block 1 thread 51)");
}

TEST(WorkItems, SpellsTheLaunchInTheSingularAndThePlural) {
  EXPECT_EQ(text_of(LaunchConfig{.grid = {1}, .block = {1024}}), "1 block of 1024 threads");
  EXPECT_EQ(text_of(LaunchConfig{.grid = {40}, .block = {1}}), "40 blocks of 1 thread");
}

}  // namespace
}  // namespace gpulab
