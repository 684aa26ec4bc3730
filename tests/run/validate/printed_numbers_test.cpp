#include "run/validate/comparison.hpp"

#include <gtest/gtest.h>

namespace gpulab::run::validate {
namespace {

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

TEST(PrintedNumbers, AreRightEachTimeTheyArePrinted) {
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
