#include "run/validate/comparison.hpp"

#include <bit>

#include "filled_array.hpp"
#include "test.hpp"

namespace gpulab::run::validate {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class T>
Comparison compare_values(const std::vector<T>& actual, const std::vector<T>& expected,
                          Tolerance tolerance = exact) {
  return compare(array_of(actual), array_of(expected), tolerance);
}

TEST(Comparison, AcceptsEqualValues) {
  const Comparison comparison = compare_values<float>({1, -2, 0}, {1, -2, 0});
  EXPECT_TRUE(comparison.right());
  EXPECT_EQ(comparison.checked, 3u);
  EXPECT_EQ(comparison.wrong, 0u);
  EXPECT_TRUE(comparison.first.empty());
}

TEST(Comparison, AddsTheAbsoluteAndTheRelativeTolerance) {
  const Tolerance tolerance{.relative = 0.25, .absolute = 0.5};  // 8 may be off by 2.5
  EXPECT_TRUE(compare_values<float>({10.5f}, {8}, tolerance).right());
  EXPECT_TRUE(compare_values<float>({5.5f}, {8}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({10.75f}, {8}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({5.25f}, {8}, tolerance).right());
}

TEST(Comparison, TakesTheRelativeToleranceOfTheExpectedValue) {
  const Tolerance tolerance{.relative = 0.5};
  EXPECT_TRUE(compare_values<float>({4}, {8}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({8}, {4}, tolerance).right());
}

TEST(Comparison, AcceptsNotANumberOnlyWhereItIsExpected) {
  const Tolerance wide{.relative = 1e30, .absolute = 1e30};
  EXPECT_FALSE(compare_values<float>({nan}, {1}, wide).right());
  EXPECT_FALSE(compare_values<float>({1}, {nan}, wide).right());
  EXPECT_TRUE(compare_values<float>({nan}, {-nan}, wide).right());
  const auto poison = std::bit_cast<float>(0xFFFFFFFFu);
  EXPECT_FALSE(compare_values<float>({poison}, {nan}, wide).right()) << "poison was never written";
}

TEST(Comparison, AcceptsEqualInfinitiesOnly) {
  const Tolerance tolerance{.relative = 1e-5, .absolute = 1e-5};
  EXPECT_TRUE(compare_values<float>({infinity, -infinity}, {infinity, -infinity}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({infinity}, {-infinity}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({infinity}, {1}, tolerance).right());
  EXPECT_FALSE(compare_values<float>({1}, {infinity}, tolerance).right());
}

TEST(Comparison, IsNotRightWhenNothingWasCompared) {
  const Comparison comparison = compare_values<float>({}, {});
  EXPECT_EQ(comparison.checked, 0u);
  EXPECT_EQ(comparison.wrong, 0u);
  EXPECT_FALSE(comparison.right());
}

TEST(Comparison, TellsIntegersApartThatFloatCannot) {
  constexpr int beyond_float = (1 << 24) + 1;
  ASSERT_EQ(static_cast<float>(beyond_float), static_cast<float>(beyond_float - 1));
  EXPECT_FALSE(compare_values<std::int32_t>({beyond_float}, {beyond_float - 1}).right());
  EXPECT_FALSE(compare_values<std::uint32_t>({4294967295u}, {4294967294u}).right());
  EXPECT_TRUE(compare_values<std::int32_t>({beyond_float}, {beyond_float}).right());
}

TEST(Comparison, ComparesIntegersExactlyWhateverTheTolerance) {
  EXPECT_FALSE(compare_values<std::int32_t>({1001}, {1000}, {.relative = 0.1, .absolute = 10}).right());
}

TEST(Comparison, SubtractsTheFarthestIntegersWithoutOverflow) {
  const Comparison comparison = compare_values<std::int32_t>({std::numeric_limits<std::int32_t>::max()},
                                                             {std::numeric_limits<std::int32_t>::min()});
  EXPECT_EQ(comparison.wrong, 1u);
  EXPECT_EQ(comparison.largest_error, 4294967295.0);
}

TEST(Comparison, KeepsTheFirstFiveDifferences) {
  std::vector<double> actual = counting<double>(100);
  for (std::size_t i = 40; i < 100; ++i) actual[i] = -1;
  const Comparison comparison = compare_values(actual, counting<double>(100));
  EXPECT_EQ(comparison.wrong, 60u);
  ASSERT_EQ(comparison.first.size(), 5u);
  EXPECT_EQ(comparison.first[0].index, 40u);
  EXPECT_EQ(comparison.first[0].expected, 41);
  EXPECT_EQ(comparison.first[0].actual, -1);
  EXPECT_EQ(comparison.first[4].index, 44u);
}

TEST(Comparison, CountsWrongElementsWhereverTheyAre) {
  constexpr std::size_t length = 100'003;  // more than one thread's part, and no multiple of a vector
  std::vector<float> actual(length, 1), expected(length, 1);
  actual.front() = actual[length / 2] = actual.back() = 2;
  const Comparison comparison = compare_values(actual, expected);
  EXPECT_EQ(comparison.wrong, 3u);
  EXPECT_EQ(comparison.first.back().index, length - 1);
}

TEST(Comparison, FindsTheLargestErrorAmongRightElementsToo) {
  const Comparison comparison = compare_values<float>({1, 2.5f, 3, nan}, {1, 2, 3.25f, 4}, {.absolute = 1});
  EXPECT_EQ(comparison.wrong, 1u);
  EXPECT_EQ(comparison.largest_error, 0.5);
}

TEST(Comparison, RefusesToCompareAnArrayWithItself) {
  const Array array = array_of<float>({1, 2, 3});
  EXPECT_THROW(compare(array, array, exact), std::logic_error);
}

TEST(Comparison, RefusesArraysOfDifferentLengthOrType) {
  EXPECT_THROW(compare_values<float>({1, 2}, {1}), std::logic_error);
  EXPECT_THROW(compare(array_of<float>({1}), array_of<std::int32_t>({1}), exact), std::logic_error);
}

class Guard : public testing::Test {
 protected:
  std::vector<std::byte> before = std::vector<std::byte>(guard_bytes, guard_pattern());
  std::vector<std::byte> after = before;
};

TEST_F(Guard, FindsNothingInZonesThatNobodyWroteTo) {
  EXPECT_FALSE(find_guard_hit(before, after));
}

TEST_F(Guard, FindsAWriteRightBehindTheEnd) {
  std::memset(after.data(), 0, 4);
  const auto hit = find_guard_hit(before, after);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->side, GuardSide::after);
  EXPECT_EQ(hit->offset, 0u);
  EXPECT_EQ(hit->bytes, 4u);
}

TEST_F(Guard, FindsTheVeryLastByteBehindTheEnd) {
  after.back() = std::byte{0};
  const auto hit = find_guard_hit(before, after);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->offset, guard_bytes - 1);
  EXPECT_EQ(hit->bytes, 1u);
}

TEST_F(Guard, CountsBytesInFrontOfTheStartFromTheArrayOutwards) {
  std::memset(before.data() + guard_bytes - 12, 0, 8);  // the last 4 bytes stay
  const auto hit = find_guard_hit(before, after);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->side, GuardSide::before);
  EXPECT_EQ(hit->offset, 4u);
  EXPECT_EQ(hit->bytes, 8u);
}

TEST_F(Guard, FindsTheVeryFirstByteInFrontOfTheStart) {
  before.front() = std::byte{0};
  const auto hit = find_guard_hit(before, after);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->offset, guard_bytes - 1);
}

TEST_F(Guard, CountsWholeElementsWhereABytesValueIsThePatternByChance) {
  after[4] = std::byte{0};  // of a 4-byte element whose other bytes happen to be the pattern
  after[8] = after[9] = std::byte{1};
  const auto hit = find_guard_hit(before, after, guard_pattern(), 4);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->offset, 4u);
  EXPECT_EQ(hit->bytes, 8u);
}

TEST_F(Guard, FindsAValueCopiedFromTheGuardOfTheNextBuffer) {
  after[0] = guard_pattern(1);
  EXPECT_TRUE(find_guard_hit(before, after, guard_pattern(0)));
}

TEST(GuardPattern, IsNeitherThePoisonNorZero) {
  for (std::size_t buffer = 0; buffer < 100; ++buffer) {
    EXPECT_NE(guard_pattern(buffer), std::byte{0});
    EXPECT_NE(guard_pattern(buffer), std::byte{0xFF});
  }
}

const PrintedNumbers expected{{"sum", 499500}, {"mean", 0.5, 1e-3}};

TEST(PrintedNumbers, AreFoundAmongOtherLines) {
  EXPECT_FALSE(first_difference("hello\nsum 499500\nsummary 3\n mean 7\nmean  0.5001 \r\n", expected));
}

TEST(PrintedNumbers, AreWrongWithoutTheirLine) {
  const auto difference = first_difference("sum 499500\n", expected);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->name, "mean");
  EXPECT_EQ(difference->printed, "");
}

TEST(PrintedNumbers, AreExactUnlessAToleranceIsStated) {
  EXPECT_EQ(first_difference("sum 499501\nmean 0.5\n", expected)->printed, "499501");
  EXPECT_EQ(first_difference("sum 499500\nmean 0.51\n", expected)->name, "mean");
}

TEST(PrintedNumbers, AreNeverRightWhenTheyAreNoNumbers) {
  for (const char* line : {"sum nan", "sum 499500 or so", "sum inf", "sum x", "sum ", "sum"})
    EXPECT_TRUE(first_difference(std::string(line) + "\nmean 0.5\n", expected)) << line;
}

TEST(PrintedNumbers, MustBeRightEachTimeTheyArePrinted) {
  EXPECT_TRUE(first_difference("sum 499500\nmean 0.5\nsum 0\n", expected));
}

TEST(PrintedNumbers, TellATypicalMistake) {
  const ProgramTask task{.errors = {{"twice", "twice as much", [](std::size_t n) {
                                       return PrintedNumbers{{"sum", 2.0 * static_cast<double>(n)}};
                                     }}}};
  ASSERT_NE(typical_output("sum 20\n", task, 10), nullptr);
  EXPECT_EQ(typical_output("sum 20\n", task, 10)->pattern, "twice");
  EXPECT_EQ(typical_output("sum 30\n", task, 10), nullptr);
}

TEST(PrintedNumbers, AreWrittenAsProgramsWriteThem) {
  EXPECT_EQ(number_text(1498500), "1498500");
  EXPECT_EQ(number_text(0.25), "0.25");
}

}  // namespace
}  // namespace gpulab::run::validate
