#include "run/validate/evidence.hpp"

#include <gtest/gtest.h>

namespace gpulab::run::validate {
namespace {

TEST(WorkItems, NamesTheBlockAndThreadOfAnElement) {
  const WorkItems items{.launch = {.grid = {10}, .block = {1024}}, .ownership = Ownership::one_item};
  const auto owner = owner_of(items, 10'000);
  ASSERT_TRUE(owner);
  EXPECT_EQ(text_of(*owner), "block 9 thread 784");
}

TEST(WorkItems, ComeRoundToTheSameThreadsWhereTheyStride) {
  const WorkItems items{.launch = {.grid = {8}, .block = {32}}, .ownership = Ownership::strides};
  EXPECT_EQ(text_of(*owner_of(items, 255)), "block 7 thread 31");
  EXPECT_EQ(text_of(*owner_of(items, 256)), "block 0 thread 0");
  EXPECT_EQ(text_of(*owner_of(items, 9999)), "block 0 thread 15");
}

TEST(WorkItems, NameTheThreadAtAPixelsPlace) {
  const WorkItems items{
      .launch = {.grid = {4, 3}, .block = {32, 8}}, .ownership = Ownership::one_item, .work = {100, 17}};
  EXPECT_EQ(text_of(*owner_of(items, 0)), "block 0 thread 0");
  EXPECT_EQ(text_of(*owner_of(items, 16 * 100 + 99)), "block (3, 2) thread (3, 0)");
  EXPECT_FALSE(owner_of(
      {.launch = {.grid = {1, 1}, .block = {32, 8}}, .ownership = Ownership::one_item, .work = {100, 17}},
      99))
      << "no block is there";
}

TEST(WorkItems, NameNobodyWhereTheLaunchHasMoreDimensionsThanTheWork) {
  for (const Ownership ownership : {Ownership::one_item, Ownership::strides}) {
    EXPECT_FALSE(owner_of({.launch = {.grid = {2, 3}, .block = {32}}, .ownership = ownership}, 0));
    EXPECT_FALSE(owner_of({.launch = {.grid = {6}, .block = {8, 1, 4}}, .ownership = ownership}, 0));
  }
}

TEST(WorkItems, NameNobodyWhereTheLaunchDoesNotTellWhoseTheyAre) {
  const WorkItems items{.launch = {.grid = {10}, .block = {1024}}};
  EXPECT_FALSE(owner_of(items, 0));
  EXPECT_FALSE(one_item_each(items, 1));
}

TEST(WorkItems, NameNobodyInALaunchWithoutThreads) {
  EXPECT_FALSE(owner_of({.launch = {.grid = {0}, .block = {32}}, .ownership = Ownership::strides}, 0));
}

TEST(WorkItems, AreOneForEachThreadWhereNoThreadStridesOn) {
  const LaunchConfig launch{.grid = {8}, .block = {32}};
  const WorkItems striding{.launch = launch, .ownership = Ownership::strides};
  EXPECT_TRUE(one_item_each(striding, 256));
  EXPECT_FALSE(one_item_each(striding, 257));
  EXPECT_TRUE(one_item_each({.launch = launch, .ownership = Ownership::one_item}, 257));
}

TEST(WorkItems, NamesNobodyBeyondTheLaunchedThreads) {
  const WorkItems items{.launch = {.grid = {1}, .block = {1024}}, .ownership = Ownership::one_item};
  EXPECT_TRUE(owner_of(items, 1023));
  EXPECT_FALSE(owner_of(items, 1024));
  EXPECT_EQ(owner_in_brackets(items, 1024), "");
}

TEST(WorkItems, AsksForTheItemOfAnElementWhereTheyAreNotTheSame) {
  const WorkItems items{.launch = {.grid = {4}, .block = {256}},
                        .ownership = Ownership::one_item,
                        .item_of = [](std::size_t bin) { return 300 + bin; }};
  EXPECT_EQ(owner_in_brackets(items, 7), " (block 1 thread 51)");
}

TEST(WorkItems, NameNobodyForAnElementThatNoItemAddsTo) {
  const WorkItems items{.launch = {.grid = {4}, .block = {256}},
                        .ownership = Ownership::one_item,
                        .item_of = [](std::size_t) -> std::optional<std::size_t> { return std::nullopt; }};
  EXPECT_EQ(owner_in_brackets(items, 7), "");
}

TEST(WorkItems, SpellsTheLaunchInTheSingularAndThePlural) {
  EXPECT_EQ(text_of(LaunchConfig{.grid = {1}, .block = {1024}}), "1 block of 1024 threads");
  EXPECT_EQ(text_of(LaunchConfig{.grid = {40}, .block = {1}}), "40 blocks of 1 thread");
  EXPECT_EQ(text_of(LaunchConfig{.grid = {4, 2}, .block = {16, 16}}), "(4, 2) blocks of (16, 16) threads");
}

}  // namespace
}  // namespace gpulab::run::validate
