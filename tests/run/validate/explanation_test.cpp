#include "run/validate/evidence.hpp"

#include "filled_array.hpp"
#include "test.hpp"

namespace gpulab::run::validate {
namespace {

// Returns a launch with one element for each thread.
WorkItems launched(unsigned blocks, unsigned threads) {
  return {.launch = {.grid = {blocks}, .block = {threads}}, .ownership = Ownership::one_item};
}

WorkItems striding(unsigned blocks, unsigned threads) {
  return {.launch = {.grid = {blocks}, .block = {threads}}, .ownership = Ownership::grid_stride};
}

template <class T>
std::string explain(const std::vector<T>& actual, const std::vector<T>& expected, const WorkItems& items,
                    InitialContents initial = InitialContents::poisoned) {
  const Array got = array_of(actual), reference = array_of(expected, initial);
  return explain_difference(compare(got, reference, exact), got, reference, items).text();
}

// Returns the right values, with poison where is_written is false.
template <class IsWritten>
std::vector<float> written_where(std::size_t length, IsWritten is_written) {
  std::vector<float> values = counting<float>(length);
  for (std::size_t i = 0; i < length; ++i)
    if (!is_written(i)) values[i] = poison<float>();
  return values;
}

template <class IsWritten>
std::string explain_written_where(std::size_t length, const WorkItems& items, IsWritten is_written) {
  return explain(written_where(length, is_written), counting<float>(length), items);
}

TEST(ExplainUnwritten, SaysThatNothingWasWritten) {
  EXPECT_EQ(explain(std::vector<int>(3000, poison<int>()), counting<int>(3000), launched(3, 1024)),
            "3 000 of 3 000 unwritten: C is as it was before the launch");
  EXPECT_EQ(
      explain(std::vector<int>(3000, 0), counting<int>(3000), launched(3, 1024), InitialContents::cleared),
      "3 000 of 3 000 still 0, as before the launch: nothing was stored in the output or added to it, or only 0 "
      "was");
}

TEST(ExplainUnwritten, AdmitsThatAPoisonedFloatPlusANumberLooksUnwritten) {
  EXPECT_EQ(
      explain_written_where(8, launched(1, 8), [](std::size_t) { return false; }),
      "8 of 8 still NaN, as before the launch: nothing was stored in C, or something was added to what it "
      "held");
}

TEST(ExplainUnwritten, SaysThatNoThreadHasTheIndex) {
  EXPECT_EQ(explain_written_where(2048, launched(1, 1024), [](std::size_t i) { return i < 1024; }),
            "1 024 of 2 048 unwritten, from C[1024] on: no thread has that index (1 block of 1024 threads)");
}

TEST(ExplainUnwritten, NamesTheThreadWhereTheTailBegins) {
  EXPECT_EQ(explain_written_where(1024, launched(4, 256), [](std::size_t i) { return i < 700; }),
            "324 of 1 024 unwritten, from C[700] on (block 2 thread 188)");
  EXPECT_EQ(explain_written_where(1024, launched(4, 256), [](std::size_t i) { return i < 1023; }),
            "1 of 1 024 unwritten, the last one, C[1023] (block 3 thread 255)");
}

TEST(ExplainUnwritten, NamesTheOnlyElementWritten) {
  EXPECT_EQ(explain_written_where(2048, launched(2, 1024), [](std::size_t i) { return i == 1; }),
            "2 047 of 2 048 unwritten, only C[1] was written");
}

TEST(ExplainUnwritten, SaysWhatTheOnlyElementHoldsWhenItIsWrong) {
  std::vector<float> values(2048, poison<float>());
  values[0] = 99;
  EXPECT_EQ(explain(values, counting<float>(2048), launched(2, 1024)),
            "2 047 of 2 048 unwritten, only C[0]: expected 1, got 99 (block 0 thread 0) was written; "
            "consistent with every thread writing to one element");
}

TEST(ExplainUnwritten, SuspectsTheBlockIndexWhenOnlyTheFirstBlockWrote) {
  EXPECT_EQ(explain_written_where(1024, launched(4, 256), [](std::size_t i) { return i < 256; }),
            "768 of 1 024 unwritten, only the elements of block 0 were written (4 blocks of 256 threads); "
            "consistent with an index that leaves out blockIdx, or a guard that ends with block 0");
}

TEST(ExplainUnwritten, LeavesItOpenWhetherOneOfTwoBlocksIsTheFirstOrNotTheLast) {
  EXPECT_EQ(explain_written_where(300, launched(2, 256), [](std::size_t i) { return i < 256; }),
            "44 of 300 unwritten, only the elements of block 0 were written (2 blocks of 256 threads); "
            "consistent with an index that leaves out blockIdx, or a guard that leaves out the last block");
}

TEST(ExplainUnwritten, SaysThatTheLastPartialBlockIsMissing) {
  EXPECT_EQ(explain_written_where(1000, launched(4, 256), [](std::size_t i) { return i < 768; }),
            "232 of 1 000 unwritten, from C[768] on (block 3 thread 0); consistent with a bounds check that "
            "leaves out the last, partly filled block");
  EXPECT_EQ(explain_written_where(1000, launched(3, 256), [](std::size_t i) { return i < 768; }),
            "232 of 1 000 unwritten, from C[768] on: no thread has that index (3 blocks of 256 threads); "
            "consistent with a number of blocks that was rounded down");
}

TEST(ExplainUnwritten, NamesTheThreadWhoseStrideReachesTheElement) {
  EXPECT_EQ(explain_written_where(10'000, striding(8, 32), [](std::size_t i) { return i < 9999; }),
            "1 of 10 000 unwritten, the last one, C[9999] (block 0 thread 15)");
  EXPECT_EQ(explain_written_where(10'000, striding(8, 32), [](std::size_t i) { return i < 9984; }),
            "16 of 10 000 unwritten, from C[9984] on (block 0 thread 0)");
}

TEST(ExplainUnwritten, NamesTheIndexThatLeadsToExactlyTheWrittenElements) {
  EXPECT_EQ(
      explain_written_where(3000, launched(3, 1024), [](std::size_t i) { return i < 1026; }),
      "1 974 of 3 000 unwritten, first C[1026] (3 blocks of 1024 threads); consistent with an index that is "
      "blockIdx + threadIdx, without blockDim");
  EXPECT_EQ(
      explain_written_where(2048, launched(2, 1024), [](std::size_t i) { return i > 0; }),
      "1 of 2 048 unwritten, first C[0] (2 blocks of 1024 threads); consistent with an index that is one more "
      "than it should be, or a guard that leaves out 0");
}

TEST(ExplainUnwritten, SuspectsTheLoopWhenEveryThreadWroteOneElement) {
  EXPECT_EQ(explain_written_where(10'000, striding(8, 32), [](std::size_t i) { return i < 256; }),
            "9 744 of 10 000 unwritten, from C[256] on, one for every thread was written (8 blocks of 32 "
            "threads): consistent with a missing grid-stride loop");
}

TEST(ExplainUnwritten, DoesNotSpeakOfBlocksThatHaveMoreElementsThanWereWritten) {
  EXPECT_EQ(explain_written_where(1024, striding(8, 32), [](std::size_t i) { return i < 32; }),
            "992 of 1 024 unwritten, from C[32] on (block 1 thread 0)");
  EXPECT_EQ(explain_written_where(256, striding(8, 32), [](std::size_t i) { return i < 32; }),
            "224 of 256 unwritten, only the elements of block 0 were written (8 blocks of 32 threads); "
            "consistent with an index that leaves out blockIdx, or a guard that ends with block 0");
}

TEST(ExplainUnwritten, NamesNobodyWhereTheLaunchHasNoOwnerForAnElement) {
  const LaunchConfig tiles{.grid = {1}, .block = {16, 16}}, row{.grid = {4}, .block = {256}};
  for (const WorkItems& items :
       {WorkItems{.launch = tiles, .ownership = Ownership::one_item},
        WorkItems{.launch = tiles, .ownership = Ownership::grid_stride}, WorkItems{.launch = row}}) {
    EXPECT_EQ(explain_written_where(2048, items, [](std::size_t i) { return i < 256; }),
              "1 792 of 2 048 unwritten, from C[256] on");
    EXPECT_EQ(explain_written_where(1000, items, [](std::size_t i) { return i < 768; }),
              "232 of 1 000 unwritten, from C[768] on");
    EXPECT_EQ(explain_written_where(1024, items, [](std::size_t i) { return i % 256 != 255; }),
              "4 of 1 024 unwritten, one in 256 from C[255] on");
  }
}

TEST(ExplainUnwritten, SeesThatOnlyEveryNthElementWasWritten) {
  EXPECT_EQ(explain_written_where(1024, launched(4, 256), [](std::size_t i) { return i % 4 == 0; }),
            "768 of 1 024 unwritten, all but one in 4 from C[0] on");
}

TEST(ExplainUnwritten, SeesThatOneThreadOfEveryBlockWroteNothing) {
  EXPECT_EQ(explain_written_where(1024, launched(4, 256), [](std::size_t i) { return i % 256 != 255; }),
            "4 of 1 024 unwritten, one in 256 from C[255] on: thread 255 of every block");
}

TEST(ExplainUnwritten, NamesTheFirstElementWhereTheyHaveNoPattern) {
  EXPECT_EQ(explain_written_where(1024, launched(4, 256),
                                  [](std::size_t i) { return i != 17 && i != 18 && i != 500; }),
            "3 of 1 024 unwritten, first C[17] (block 0 thread 17), then [18], [500]");
}

TEST(ExplainUnwritten, DoesNotSayThatOneBinWasWrittenIfTheOthersAreRightlyZero) {
  EXPECT_EQ(explain<int>({5, 0, 0, 7}, {5, 0, 0, 9}, launched(1, 4), InitialContents::cleared),
            "C[3] holds 7 of 9: updates were lost, in 1 of 4");
  EXPECT_EQ(explain<int>({5, 0, 0, 0}, {5, 0, 9, 9}, launched(1, 4), InitialContents::cleared),
            "2 of 4 still 0, as before the launch, from C[2] on (block 0 thread 2)");
}

TEST(ExplainValues, SeesThatTheResultIsShiftedByOne) {
  std::vector<float> values = counting<float>(100, 2);  // C[i] holds what C[i + 1] should
  values.back() = -7;
  EXPECT_EQ(explain(values, counting<float>(100), launched(1, 128)),
            "100 of 100 wrong, 99 of them hold what the next element should, first C[0]: expected 1, got 2 "
            "(block 0 thread 0); consistent with an index that is off by one");
  values = counting<float>(100, 0);
  values.front() = poison<float>();
  EXPECT_EQ(explain(values, counting<float>(100), launched(1, 128)),
            "100 of 100 wrong, 99 of them hold what the previous element should, first C[0]: expected 1, not "
            "written (block 0 thread 0); consistent with an index that is off by one");
}

TEST(ExplainValues, DoesNotCallItAShiftWhenAnElementInTheMiddleDoesNotFit) {
  std::vector<float> values = counting<float>(100, 2);
  values[50] = -7;
  values.back() = 100;
  EXPECT_EQ(explain(values, counting<float>(100), launched(1, 128)),
            "99 of 100 wrong, from C[0] to C[98], first C[0]: expected 1, got 2 (block 0 thread 0)");
}

TEST(ExplainValues, DoesNotCallItAShiftWhereARightElementWouldBeWrong) {
  const std::vector<int> expected{0, 1, 0, 1, 0, 1, 0, 1, 1, 0}, actual{1, 0, 1, 0, 0, 1, 0, 1, 1, 0};
  EXPECT_EQ(explain(actual, expected, launched(1, 16)).find("off by one"), std::string::npos);
}

TEST(ExplainValues, SeesThatEveryValueIsDoubled) {
  EXPECT_EQ(explain<int>({6, 10, 0, 14}, {3, 5, 0, 7}, launched(1, 4)),
            "3 of 4 wrong, each twice what is expected, first C[0]: expected 3, got 6 (block 0 thread 0); "
            "consistent with counting every contribution twice");
}

TEST(ExplainValues, SaysThatEverythingWasSetToZero) {
  EXPECT_EQ(explain(std::vector<float>(2000, 0), counting<float>(2000), launched(2, 1024)),
            "2 000 of 2 000 wrong, every element was set to 0, first C[0]: expected 1, got 0 "
            "(block 0 thread 0)");
}

TEST(ExplainValues, TellsAWrittenNotANumberFromThePoison) {
  std::vector<float> values = counting<float>(100);
  values[3] = values[9] = std::numeric_limits<float>::quiet_NaN();
  values[5] = 0.5;
  EXPECT_EQ(explain(values, counting<float>(100), launched(1, 128)),
            "3 of 100 wrong, 2 of them written as NaN, first C[3]: expected 4, got NaN (block 0 thread 3)");
}

TEST(ExplainValues, SaysThatUpdatesWereLostAndWhoCountedFirst) {
  WorkItems items = launched(512, 256);
  items.element_name = "bin";
  items.item_of = [](std::size_t bin) { return bin + 17; };
  EXPECT_EQ(explain<int>({1204, 7}, {131072, 7}, items, InitialContents::cleared),
            "bin 0 counts 1 204 of 131 072: updates were lost, in 1 of 2 bins; block 0 thread 17 was the "
            "first to count there");
  EXPECT_EQ(
      explain<int>({1204}, {131072}, items, InitialContents::cleared),
      "bin 0 counts 1 204 of 131 072: updates were lost; block 0 thread 17 was the first to count there");
}

TEST(ExplainValues, HasAnotherFactForUpdatesThatWereLostWithoutARace) {
  const Array got = array_of<int>({5, 0, 0, 7}),
              reference = array_of<int>({5, 0, 0, 9}, InitialContents::cleared);
  const Explanation lost = explain_difference(compare(got, reference, exact), got, reference, launched(1, 4));
  EXPECT_EQ(lost.pattern, "lost-updates");
  EXPECT_EQ(lost.fact, "C[3] holds 7 of 9: updates were lost, in 1 of 4");
  EXPECT_EQ(lost.fact_without_race, "C[3] holds 7 of 9: too few, and no race was seen, in 1 of 4");
}

// Explains an image of 100 x 67 whose elements are wrong where is_wrong is true.
template <class IsWrong>
std::string explain_image(IsWrong is_wrong) {
  constexpr unsigned width = 100, height = 67;
  std::vector<float> values = counting<float>(width * height);
  for (unsigned i = 0; i < width * height; ++i)
    if (is_wrong(i % width, i / width)) values[i] = -3.5f - static_cast<float>(i % 7);
  const WorkItems items{.launch = {.grid = {7, 5}, .block = {16, 16}}, .work = {width, height}};
  return explain(values, counting<float>(width * height), items);
}

TEST(ExplainValues, NamesTheBorderOnlyIfTheWrongElementsAreNotThereByChance) {
  const auto at_the_border = [](unsigned x, unsigned y) { return x < 2 || y < 2 || x > 97 || y > 64; };
  EXPECT_TRUE(contains(explain_image(at_the_border), "none farther than 2 from the border"));
  const auto scattered = [](unsigned x, unsigned y) { return y == x / 2 && x % 5 == 1; };  // up to row 32
  EXPECT_FALSE(contains(explain_image(scattered), "border")) << explain_image(scattered);
}

TEST(ExplainValues, TellsTheFactApartFromTheGuess) {
  std::vector<float> values = counting<float>(100, 2);  // C[i] holds what C[i + 1] should
  const Array got = array_of(values), reference = array_of(counting<float>(100));
  const Explanation shifted =
      explain_difference(compare(got, reference, exact), got, reference, launched(1, 128));
  EXPECT_EQ(shifted.guess, "an index that is off by one");
  EXPECT_EQ(shifted.text(), shifted.fact + "; consistent with an index that is off by one");
  EXPECT_EQ(shifted.cause(), "consistent with an index that is off by one");
}

TEST(Specificity, DependsOnThePattern) {
  EXPECT_EQ(specificity_of("wrong-values"), Specificity::generic);
  EXPECT_EQ(specificity_of("border"), Specificity::location);
  EXPECT_EQ(specificity_of("skipped-elements"), Specificity::exact);
  EXPECT_EQ(specificity_of("transposed"), Specificity::kind);
}

TEST(ExplainValues, NamesNobodyForABinThatNothingCountsIn) {
  WorkItems items = launched(512, 256);
  items.element_name = "bin";
  items.item_of = [](std::size_t) -> std::optional<std::size_t> { return std::nullopt; };
  EXPECT_EQ(explain<int>({3, 9, 9}, {0, 9, 9}, items, InitialContents::cleared),
            "1 of 3 bins wrong, the first, bin 0: expected 0, got 3");
}

TEST(ExplainValues, DoesNotCallUpdatesLostWhereABinCountsTooMany) {
  WorkItems items = launched(1, 256);
  items.element_name = "bin";
  EXPECT_EQ(explain<int>({9, 11, 10}, {10, 10, 10}, items, InitialContents::cleared),
            "2 of 3 bins wrong, first bin 0: expected 10, got 9 (block 0 thread 0)");
}

TEST(ExplainValues, CountsTheUnwrittenAmongOtherwiseWrongElements) {
  std::vector<float> values = counting<float>(100);
  values[10] = 3.5;
  values[11] = values[12] = poison<float>();
  EXPECT_EQ(explain(values, counting<float>(100), launched(1, 128)),
            "3 of 100 wrong, 2 of them unwritten, from C[10] to C[12], first C[10]: expected 11, got 3.5 "
            "(block 0 thread 10)");
}

std::vector<float> wrong_at(std::size_t length, const std::vector<std::size_t>& places) {
  std::vector<float> values = counting<float>(length);
  for (const std::size_t place : places) values[place] = -0.5f - static_cast<float>(place);
  return values;
}

TEST(ExplainValues, SeesThatTheEdgesOfMostBlocksAreWrong) {
  const std::string line =
      explain(wrong_at(512, {127, 128, 255, 256, 383, 384}), counting<float>(512), launched(4, 128));
  EXPECT_EQ(line,
            "6 of 512 wrong, none farther than 1 from the edge of its block, first C[127]: expected 128, got "
            "-127.5 (block 0 thread 127); consistent with a halo that is missing or too small");
}

TEST(ExplainValues, DoesNotSpeakOfEdgesWhereFewBlocksAreWrong) {
  const auto speaks_of_edges = [](const std::vector<std::size_t>& places) {
    const std::string line = explain(wrong_at(2048, places), counting<float>(2048), launched(16, 128));
    return line.find("edge") != std::string::npos;
  };
  EXPECT_FALSE(speaks_of_edges({0, 1, 2})) << "the first numbers";
  EXPECT_FALSE(speaks_of_edges({0, 127, 128}));
  EXPECT_FALSE(speaks_of_edges({2045, 2046, 2047}));
}

TEST(ExplainDifference, UsesTheToleranceOfTheComparison) {
  const Array got = array_of<float>({1.001f, 2.001f, 5}), reference = array_of<float>({1, 2, 3});
  const Comparison comparison = compare(got, reference, {.absolute = 0.01});
  EXPECT_EQ(explain_difference(comparison, got, reference, launched(1, 4)).text(),
            "1 of 3 wrong, the last, C[2]: expected 3, got 5 (block 0 thread 2)");
}

TEST(ExplainDifference, HasNothingToExplainWhereAllIsRight) {
  EXPECT_THROW(explain<float>({1}, {1}, launched(1, 1)), std::logic_error);
  EXPECT_EQ(explain<float>({}, {}, launched(1, 1)), "C has no elements: nothing was compared");
}

TEST(ExplainGuardHit, NamesTheThreadThatWrotePastTheEnd) {
  const GuardHit hit{.side = GuardSide::after, .offset = 0, .bytes = 960};
  EXPECT_EQ(explain_guard_hit(hit, "C", 10'000, ElementType::float32, launched(10, 1024)),
            "wrote 240 elements past the end of C (length 10 000), first C[10000] by block 9 thread 784");
}

TEST(ExplainGuardHit, NamesNobodyBeyondTheLaunchedThreads) {
  const GuardHit hit{.side = GuardSide::after, .offset = 16, .bytes = 8};
  EXPECT_EQ(explain_guard_hit(hit, "C", 1024, ElementType::float64, launched(4, 256)),
            "wrote 1 element past the end of C (length 1 024), first C[1026]");
}

TEST(ExplainGuardHit, NamesTheThreadThatStridesPastTheEnd) {
  const GuardHit hit{.side = GuardSide::after, .offset = 0, .bytes = 4};
  EXPECT_EQ(explain_guard_hit(hit, "C", 10'000, ElementType::float32, striding(8, 32)),
            "wrote 1 element past the end of C (length 10 000), first C[10000] by block 0 thread 16");
}

TEST(ExplainGuardHit, CountsBackwardsInFrontOfTheStart) {
  const GuardHit hit{.side = GuardSide::before, .offset = 4, .bytes = 8};
  EXPECT_EQ(explain_guard_hit(hit, "C", 1024, ElementType::int32, launched(4, 256)),
            "wrote 2 elements before the start of C (length 1 024), nearest C[-2]");
}

TEST(ExplainGuardHit, DoesNotAskForTheItemOfAnElementThatDoesNotExist) {
  WorkItems items = launched(4, 256);
  items.item_of = [](std::size_t) -> std::optional<std::size_t> { throw std::out_of_range("no such bin"); };
  const GuardHit hit{.side = GuardSide::after, .offset = 0, .bytes = 4};
  EXPECT_EQ(explain_guard_hit(hit, "bins", 256, ElementType::int32, items),
            "wrote 1 element past the end of bins (length 256), first bins[256]");
}

}  // namespace
}  // namespace gpulab::run::validate
