#include "run/validate/evidence.hpp"

#include "test.hpp"

namespace gpulab::run::validate {
namespace {

Positions positions_of(std::initializer_list<std::size_t> indices) {
  Positions positions;
  for (const std::size_t index : indices) positions.add(index);
  return positions;
}

TEST(Positions, KnowsTheEndsAndTheCount) {
  const Positions positions = positions_of({3, 4, 9});
  EXPECT_EQ(positions.count(), 3u);
  EXPECT_EQ(positions.first(), 3u);
  EXPECT_EQ(positions.last(), 9u);
}

TEST(Positions, IsContiguousWithoutGapsOnly) {
  EXPECT_TRUE(positions_of({5, 6, 7}).contiguous());
  EXPECT_FALSE(positions_of({5, 7}).contiguous());
  EXPECT_FALSE(Positions{}.contiguous());
}

TEST(Positions, HasAStepOnlyWhereItIsTheSameThroughout) {
  EXPECT_EQ(positions_of({1, 5, 9, 13}).step(), 4u);
  EXPECT_EQ(positions_of({1, 5, 9, 12}).step(), 0u);
  EXPECT_EQ(positions_of({1, 4, 9, 14}).step(), 0u);
  EXPECT_EQ(positions_of({7}).step(), 0u);
}

TEST(ValueText, GroupsIntegersAndKeepsTheSign) {
  EXPECT_EQ(value_text(-131072, ElementType::int32), "-131 072");
  EXPECT_EQ(value_text(4294967295.0, ElementType::uint32), "4 294 967 295");
}

TEST(ValueText, IsTheShortestThatReadsBackAsTheSameValue) {
  EXPECT_EQ(value_text(0.1f, ElementType::float32), "0.1");
  EXPECT_EQ(value_text(0.1, ElementType::float64), "0.1");
}

TEST(ValueText, LeavesOutTheSignOfAZero) {
  EXPECT_EQ(value_text(-0.0, ElementType::float32), "0");
}

TEST(ValueText, NamesWhatIsNotANumberWithoutItsSign) {
  EXPECT_EQ(value_text(-std::numeric_limits<double>::quiet_NaN(), ElementType::float32), "NaN");
  EXPECT_EQ(value_text(-std::numeric_limits<double>::infinity(), ElementType::float64), "-inf");
}

TEST(WorkItems, NameTheBlockAndThreadOfAnElement) {
  const WorkItems items{.launch = {.grid = {10}, .block = {1024}}, .ownership = Ownership::one_item};
  const auto owner = owner_of(items, 10'000);
  ASSERT_TRUE(owner);
  EXPECT_EQ(text_of(*owner), "block 9 thread 784");
}

TEST(WorkItems, ComeBackToTheFirstThreadInAGridStrideLoop) {
  const WorkItems items{.launch = {.grid = {8}, .block = {32}}, .ownership = Ownership::grid_stride};
  EXPECT_EQ(text_of(*owner_of(items, 255)), "block 7 thread 31");
  EXPECT_EQ(text_of(*owner_of(items, 256)), "block 0 thread 0");
  EXPECT_EQ(text_of(*owner_of(items, 9999)), "block 0 thread 15");
}

TEST(WorkItems, NameTheThreadOfAPixelInTwoDimensions) {
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
  for (const Ownership ownership : {Ownership::one_item, Ownership::grid_stride}) {
    EXPECT_FALSE(owner_of({.launch = {.grid = {2, 3}, .block = {32}}, .ownership = ownership}, 0));
    EXPECT_FALSE(owner_of({.launch = {.grid = {6}, .block = {8, 1, 4}}, .ownership = ownership}, 0));
  }
}

TEST(WorkItems, NameNobodyIfTheLaunchDoesNotSayWhichThreadHasThem) {
  const WorkItems items{.launch = {.grid = {10}, .block = {1024}}};
  EXPECT_FALSE(owner_of(items, 0));
  EXPECT_FALSE(has_one_item_per_thread(items, 1));
}

TEST(WorkItems, NameNobodyInALaunchWithoutThreads) {
  EXPECT_FALSE(owner_of({.launch = {.grid = {0}, .block = {32}}, .ownership = Ownership::grid_stride}, 0));
}

TEST(WorkItems, AreOneForEachThreadWhereNoThreadTakesASecondOne) {
  const LaunchConfig launch{.grid = {8}, .block = {32}};
  const WorkItems striding{.launch = launch, .ownership = Ownership::grid_stride};
  EXPECT_TRUE(has_one_item_per_thread(striding, 256));
  EXPECT_FALSE(has_one_item_per_thread(striding, 257));
  EXPECT_TRUE(has_one_item_per_thread({.launch = launch, .ownership = Ownership::one_item}, 257));
}

TEST(WorkItems, NameNobodyBeyondTheLaunchedThreads) {
  const WorkItems items{.launch = {.grid = {1}, .block = {1024}}, .ownership = Ownership::one_item};
  EXPECT_TRUE(owner_of(items, 1023));
  EXPECT_FALSE(owner_of(items, 1024));
  EXPECT_EQ(owner_in_brackets(items, 1024), "");
}

TEST(WorkItems, UseTheItemOfAnElementWhereTheirIndicesDiffer) {
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

TEST(LaunchConfigText, UsesTheSingularAndThePlural) {
  EXPECT_EQ(text_of(LaunchConfig{.grid = {1}, .block = {1024}}), "1 block of 1024 threads");
  EXPECT_EQ(text_of(LaunchConfig{.grid = {40}, .block = {1}}), "40 blocks of 1 thread");
  EXPECT_EQ(text_of(LaunchConfig{.grid = {4, 2}, .block = {16, 16}}), "(4, 2) blocks of (16, 16) threads");
}

}  // namespace
}  // namespace gpulab::run::validate
