#include "check/answers.hpp"

#include <gtest/gtest.h>

namespace gpulab::check {
namespace {

const Unit& ms = *unit_called("ms");

double value_of(const std::string& text) {
  const auto given = quantity(text, ms);
  EXPECT_TRUE(given) << text;
  return given ? given->value : -1;
}

TEST(Quantity, HasTheUnitThatIsWrittenBehindIt) {
  EXPECT_DOUBLE_EQ(value_of("3 s"), 3);
  EXPECT_DOUBLE_EQ(value_of("3 us"), 3e-6);
  EXPECT_DOUBLE_EQ(value_of("3 \u00b5s"), 3e-6);
  EXPECT_DOUBLE_EQ(value_of("2.5kB"), 2500);
  EXPECT_DOUBLE_EQ(value_of("55 GB/s"), 55e9);
  EXPECT_DOUBLE_EQ(value_of("25 %"), 0.25);
  EXPECT_DOUBLE_EQ(value_of("1.75x"), 1.75);
  EXPECT_DOUBLE_EQ(value_of(" 8 sectors "), 8);
  EXPECT_EQ(quantity("8 sectors", ms)->dimension, Dimension::number);
  EXPECT_EQ(quantity("55 GB/s", ms)->dimension, Dimension::rate);
}

TEST(Quantity, HasTheUnitOfTheQuestionWithoutOne) {
  EXPECT_DOUBLE_EQ(value_of("7"), 7e-3);
  EXPECT_EQ(quantity("7", ms)->dimension, Dimension::time);
}

TEST(Quantity, TakesNumbersAsPeopleWriteThem) {
  EXPECT_DOUBLE_EQ(value_of("1 000 000 us"), 1);
  EXPECT_DOUBLE_EQ(value_of(".5 s"), 0.5);
  EXPECT_DOUBLE_EQ(value_of("1e3"), 1);
  EXPECT_DOUBLE_EQ(value_of("2.5e-3 s"), 2.5e-3);
}

TEST(Quantity, IsNothingElse) {
  for (const std::string text : {"", " ", "ms", "seven", "7,5 ms", "-7 ms", "+7", "7 parsecs", "7 ms 3",
                                 "1 2", "1 00", "nan", "inf", "1e999", "0x10", "7..5", "3 / 4", "about 7 ms"})
    EXPECT_FALSE(quantity(text, ms)) << text;
  EXPECT_FALSE(quantity(std::string(100000, '1'), ms));
}

}  // namespace
}  // namespace gpulab::check
