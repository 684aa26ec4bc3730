#include "base/text.hpp"

#include "test.hpp"

namespace gpulab {
namespace text_test {

TEST(ListedBefore, ComparesNumbersByValueAndIgnoresTheCase) {
  EXPECT_TRUE(is_listed_before("student2", "Student10"));
  EXPECT_FALSE(is_listed_before("Student10", "student2"));
  EXPECT_TRUE(is_listed_before("Ada", "bea"));
  EXPECT_TRUE(is_listed_before("ada", "Bea"));
  EXPECT_FALSE(is_listed_before("ada", "ada"));
}

TEST(Grouped, SetsThousandsApartFromOneThousandOn) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1 000");
  EXPECT_EQ(grouped(12345), "12 345");
  EXPECT_EQ(grouped(33554432), "33 554 432");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18 446 744 073 709 551 615");
}

TEST(WithDecimals, RoundsToTheDigitsAskedFor) {
  EXPECT_EQ(with_decimals(12.46, 1), "12.5");
  EXPECT_EQ(with_decimals(12.46, 0), "12");
  EXPECT_EQ(with_decimals(2, 1), "2.0");
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(QuantityText, GivesDurationsThreeSignificantDigits) {
  EXPECT_EQ(duration_text(8.6603e-3), "8.66 ms");
  EXPECT_EQ(duration_text(38.44e-6), "38.4 us");
  EXPECT_EQ(duration_text(1.2749), "1.27 s");
  EXPECT_EQ(duration_text(412e-9), "412 ns");
  EXPECT_EQ(duration_text(1270), "1 270 s");
  EXPECT_EQ(three_digits(3495.4), "3 495");
}

TEST(QuantityText, RoundsIntoTheNextUnit) {
  EXPECT_EQ(duration_text(999.6e-6), "1.00 ms");
  EXPECT_EQ(duration_text(999.4e-6), "999 us");
  EXPECT_EQ(duration_text(9.996e-3), "10.0 ms");
}

TEST(QuantityText, ScalesBytesByThousandsAndCapacitiesBy1024) {
  EXPECT_EQ(bytes_text(512), "512 bytes");
  EXPECT_EQ(bytes_text(134'217'728), "134 MB");
  EXPECT_EQ(capacity_text(48 * 1024), "48.0 KiB");
  EXPECT_EQ(capacity_text(0x1p37), "128 GiB");
}

TEST(QuantityText, GivesPercentages) {
  EXPECT_EQ(percent_text(0.003), "0.3 %");
  EXPECT_EQ(percent_text(0.728), "73 %");
  EXPECT_EQ(percent_text(0.0001), "<0.1 %");
  EXPECT_EQ(percent_text(0), "0.0 %");
}

TEST(QuantityText, GivesFactors) {
  EXPECT_EQ(factor_text(622.4), "622x");
  EXPECT_EQ(factor_text(6.82), "6.8x");
  EXPECT_EQ(factor_text(0.2194), "0.22x");
  EXPECT_EQ(factor_text(1e-6), "<0.001x");
  EXPECT_EQ(factor_text(12'345), "12 345x");
}

TEST(QuantityText, SaysWhatIsNotFinite) {
  for (const double value : {nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(three_digits(value), "n/a");
    EXPECT_EQ(duration_text(value), "n/a");
    EXPECT_EQ(bytes_text(value), "n/a");
    EXPECT_EQ(percent_text(value), "n/a");
    EXPECT_EQ(factor_text(value), "n/a");
  }
}

TEST(Distinguishable, HasFourDigitsOrAsManyAsDiffer) {
  const auto texts = [](double expected, double actual) {
    const ExpectedAndActual apart = distinguishable(expected, actual);
    return apart.expected + " " + apart.actual;
  };
  EXPECT_EQ(texts(-2.68136859, 1.94231617), "-2.681 1.942");
  EXPECT_EQ(texts(0.123456789, 0.123456123), "0.123457 0.123456");
  EXPECT_EQ(texts(65537, 1), "65 537 1") << "whole numbers in full";
  EXPECT_EQ(texts(-1204, 0.5), "-1 204 0.5");
  EXPECT_EQ(texts(1, nan), "1 NaN");
  EXPECT_EQ(texts(1.0, 1.0 + 1e-15), "1 1.000000000000001");
}

TEST(ElementText, HasNineDigitsAndNamesWhatIsNotFinite) {
  EXPECT_EQ(element_text(2.5), "2.5");
  EXPECT_EQ(element_text(-131072), "-131072");
  EXPECT_EQ(element_text(1.0 / 3), "0.333333333");
  EXPECT_EQ(element_text(nan), "NaN");
  EXPECT_EQ(element_text(-nan), "NaN");
  EXPECT_EQ(element_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(element_text(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Printable, KeepsWhatALineOfATerminalCanShow) {
  for (const char* text : {"", "ada.cu", "Jürgen Groß (1)", "日本語", "a·b – c"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ReplacesEverythingElse) {
  EXPECT_EQ(printable("a\033[2Jb\nc\td\x7f"), "a?[2Jb?c?d?");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2Jb"),
            "a?2Jb")
      << "it begins an escape sequence in one character";
  EXPECT_EQ(printable("txt.\xe2\x80\xaeuc"), "txt.?uc") << "it reverses the direction of the text";
  EXPECT_EQ(printable("a\xff\xfe"), "a??");
  EXPECT_EQ(printable("a\xc3"), "a?") << "cut short";
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80"), "?????") << "an overlong form, and half of a surrogate pair";
}

TEST(Printable, KeepsTheLinesOfALongerText) {
  EXPECT_EQ(printable_lines("\na\tb\n\033[2J\n"), "\na b\n?[2J\n");
  EXPECT_EQ(printable_lines("a\r\nb"), "a\nb");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(SetApart, IndentsLinesAndMarksThoseThatACiServiceWouldObey) {
  EXPECT_EQ(set_apart("PASSED"), "  PASSED");
  EXPECT_EQ(set_apart("  ::error::wrong"), "  |   ::error::wrong");
}

TEST(FlowingText, JoinsTheLinesOfAParagraph) {
  EXPECT_EQ(flowing_text("One sentence\nin two lines.\n"), "One sentence in two lines.");
  EXPECT_EQ(flowing_text("One.\n\nTwo,\nthree.\n"), "One.\n\nTwo, three.");
}

TEST(FlowingText, KeepsIndentedLinesAsTheyAre) {
  EXPECT_EQ(flowing_text("This guard\nprevents it:\n  if (i < n)\nSo\nwrite it.\n"),
            "This guard prevents it:\n  if (i < n)\nSo write it.");
}

const std::vector<std::string> lessons = {"first-kernel", "arbitrary-size", "histogram"};

TEST(NearestName, AllowsForOneLetterTooManyTooFewOrWrong) {
  EXPECT_EQ(nearest_name("histoggram", lessons), "histogram");
  EXPECT_EQ(nearest_name("histgram", lessons), "histogram");
  EXPECT_EQ(nearest_name("histogran", lessons), "histogram");
}

TEST(NearestName, CountsSwappedNeighboursAsOneMistake) {
  const std::vector<std::string> short_name = {"abc"};  // one of three letters may be wrong
  EXPECT_EQ(nearest_name("acb", short_name), "abc");
  EXPECT_EQ(nearest_name("cba", short_name), "");
}

TEST(NearestName, TakesTheNearestOfSeveral) {
  const std::vector<std::string> similar = {"shared-unsynchronised", "shared-synchronised"};
  EXPECT_EQ(nearest_name("shared-synchronized", similar), "shared-synchronised");
}

TEST(NearestName, IsNoneWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("matrix", lessons), "");
  EXPECT_EQ(nearest_name("", lessons), "");
  EXPECT_EQ(nearest_name("histogram", {}), "");
}

TEST(Suggestion, AsksForTheNearestNameOrSaysWhatElseToDo) {
  EXPECT_EQ(suggestion("histogran", lessons, "gpulab list shows them"), "did you mean 'histogram'?");
  EXPECT_EQ(suggestion("matrix", lessons, "gpulab list shows them"), "gpulab list shows them");
}

}  // namespace text_test
}  // namespace gpulab
