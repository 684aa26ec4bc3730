#include "base/error.hpp"
#include "check/own_exercises.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace formula_test {

const Sizes sizes{{"width", 100}, {"height", 67}};

TEST(Formula, ComputesWithTheSizesAsCppDoes) {
  EXPECT_EQ(value_of("width * height", sizes), 6700);
  EXPECT_EQ(value_of("(width + 31) / 32 * 32", sizes), 128);
  EXPECT_EQ(value_of("width - height - 3 * 11", sizes), 0);
  EXPECT_EQ(value_of("-height % 10 + 1e2", sizes), 93);
  EXPECT_EQ(value_of("2.5", sizes), 2.5);
  EXPECT_EQ(value_of("1 / 4.5", sizes), 1 / 4.5);
}

TEST(Formula, IsRefusedWithTheReason) {
  const std::pair<const char*, const char*> wrong[] = {
      {"widht", "did you mean 'width'?"}, {"2 *", "ends too early"},     {"(2", "lacks a closing bracket"},
      {"2 width", "from 'width' on"},     {"1 / (100 - width)", "zero"}, {"", "ends too early"},
      {"1e300 * 1e300", "too large"},     {"width % 0", "zero"},         {"inf", "is not a size"}};
  for (const auto& [formula, why] : wrong) try {
      value_of(formula, sizes);
      ADD_FAILURE() << formula;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  EXPECT_THROW(value_of(std::string(100'000, '('), sizes), UsageError);
}

}  // namespace formula_test
}  // namespace gpulab::check
