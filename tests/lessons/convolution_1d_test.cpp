#include "cli/options.hpp"
#include "convolution_1d/extent_of_output.hpp"
#include "convolution_1d/reference.hpp"
#include "lesson/arrays.hpp"
#include "lesson/lesson.hpp"
#include "run/lesson_cases.hpp"
#include "test.hpp"

namespace gpulab::lessons::convolution_1d {
namespace convolution_1d_test {

using Values = std::vector<float>;
using Convolve = void (*)(std::span<const float>, std::span<const float>, std::size_t, std::span<float>);

class Convolution1dReference : public testing::TestWithParam<Convolve> {
 protected:
  static Values convolved(const Values& input, const Values& filter, const std::string& mode = "full") {
    const OutputPlaces places = output_places(mode, input.size(), filter.size());
    Values output(places.size, -1);
    GetParam()(input, filter, places.offset, output);
    return output;
  }
};

INSTANTIATE_TEST_SUITE_P(Both, Convolution1dReference, testing::Values(&convolve, &convolve_openmp),
                         [](const auto& info) { return info.index == 0 ? "Plain" : "OpenMP"; });

Values noise(std::size_t size, std::uint64_t seed) {
  Values values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = 2 * random_float(seed, i) - 1;
  return values;
}

double sum(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void expect_close(const Values& actual, const Values& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 1e-4) << "place " << i;
}

// Expects the values that numpy.convolve prints.
TEST_P(Convolution1dReference, HasNumPysSizesAndValues) {
  EXPECT_EQ(convolved({1, 2, 3}, {0, 1, 0.5f}, "full"), (Values{0, 1, 2.5f, 4, 1.5f}));
  EXPECT_EQ(convolved({1, 2, 3}, {0, 1, 0.5f}, "same"), (Values{1, 2.5f, 4}));
  EXPECT_EQ(convolved({1, 2, 3}, {0, 1, 0.5f}, "valid"), (Values{2.5f}));
  EXPECT_EQ(convolved({1, 2, 3, 4, 5}, {1, 10}, "same"), (Values{1, 12, 23, 34, 45}));
  EXPECT_EQ(convolved({1, 2, 3, 4, 5}, {1, 10, 100, 1000}, "same"), (Values{12, 123, 1234, 2345, 3450}));
}

TEST_P(Convolution1dReference, TakesFiltersLongerThanTheSignal) {
  EXPECT_EQ(convolved({1, 10}, {1, 2, 3, 4, 5}, "same"), (Values{1, 12, 23, 34, 45}));
  EXPECT_EQ(convolved({1, 10}, {1, 2, 3, 4, 5}, "valid"), (Values{12, 23, 34, 45}));
  EXPECT_EQ(convolved({2}, {1, 2, 3}, "full"), (Values{2, 4, 6}));
}

TEST_P(Convolution1dReference, TurnsASinglePulseIntoACopyOfTheFilter) {
  const Values filter = noise(40, 1);
  Values pulse(20000);
  pulse[8190] = 1;
  const Values output = convolved(pulse, filter);
  for (std::size_t i = 0; i < output.size(); ++i)
    ASSERT_EQ(output[i], i >= 8190 && i < 8230 ? filter[i - 8190] : 0) << "place " << i;
}

TEST_P(Convolution1dReference, SumsUpToTheProductOfTheSums) {
  for (const std::size_t size : {1u, 63u, 64u, 8192u, 8193u, 30000u}) {
    const Values input = noise(size, 2), filter = noise(15, 3);
    EXPECT_NEAR(sum(convolved(input, filter)), sum(input) * sum(filter), 1e-3);
  }
}

TEST_P(Convolution1dReference, TakesSignalAndFilterInEitherOrder) {
  const Values a = noise(9000, 4), b = noise(33, 5);
  expect_close(convolved(a, b), convolved(b, a));
}

// The numbers of the course: its 2048 x 2048 dirac grid row after row, and the diagonal of its filter.
TEST_P(Convolution1dReference, GivesTheTotalOfTheCourse) {
  Values diracs(2048 * 2048), filter(15);
  const auto is_dirac = [](std::size_t i) { return i / 2048 % 16 == 8 && i % 16 == 8; };
  for (std::size_t i = 0; i < diracs.size(); ++i) diracs[i] = is_dirac(i) ? 1 : 0;
  for (std::size_t i = 0; i < filter.size(); ++i)
    filter[i] = std::exp(-std::pow(-2 + 4 * static_cast<float>(i) / 14, 2.0f));
  const Values output = convolved(diracs, filter);
  EXPECT_EQ(output.size(), 4194318u);
  EXPECT_NEAR(sum(output), 101407.8533, 0.01);
}

// A tile without a halo is enough exactly when it holds all inputs that any block needs.
TEST(Convolution1dLesson, StatesWhereAMissingHaloIsHarmless) {
  const Lesson lesson = cli::find_lesson("convolution-1d");
  const Variant& variant = *std::ranges::find(lesson.variants, "missing-halo", &Variant::name);
  const auto stated_outcome = [&](std::size_t size, const std::string& mode, std::uint64_t taps) {
    Settings settings{.size = size, .options = run::default_values(lesson)};
    settings.options["mode"] = mode;
    settings.options["taps"] = taps;
    return variant.expects.at({.settings = settings, .work = {}, .block_size = 256});
  };
  EXPECT_EQ(stated_outcome(256, "same", 15), Outcome::right);
  EXPECT_EQ(stated_outcome(257, "same", 15), Outcome::wrong);
  EXPECT_EQ(stated_outcome(100000, "same", 1), Outcome::right);
  EXPECT_EQ(stated_outcome(100000, "same", 2), Outcome::wrong);
  EXPECT_EQ(stated_outcome(242, "full", 15), Outcome::right) << "256 outputs, one block";
  EXPECT_EQ(stated_outcome(243, "full", 15), Outcome::wrong);
}

}  // namespace convolution_1d_test
}  // namespace gpulab::lessons::convolution_1d
