#include "lesson/arrays.hpp"
#include "lesson/lesson.hpp"
#include "normalize/reference.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab {
namespace normalize_test {

using Values = std::vector<float>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::string kernels_of(const std::string& way) {
  const std::string wanted = way == "wide_loads" ? "normalize_wide_loads.cu" : "normalize.cu";
  for (const EmbeddedFile& file : embedded_kernels())
    if (file.name == wanted) return file.text;
  return "";
}

double length(const Values& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

TEST(NormalizeReferences, AgreeOnVectorsOfAnySizeAtAnyAddress) {
  for (const std::size_t size : {1, 15, 17, 100, 16384, 16385, 50'001})
    for (const float scale : {1.0f, 1e30f, 1e-30f, 0.0f})
      for (const std::size_t offset : {0, 1, 5}) {
        Values x(offset + size), plain(x.size(), -1), openmp(x.size(), -1);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = scale * (2 * random_float(1, i) - 1);
        const auto from = [&](Values& values) { return std::span(values).subspan(offset); };
        lessons::normalize::normalize(from(x), from(plain));
        lessons::normalize::normalize_openmp(from(x), from(openmp));
        for (std::size_t i = 0; i < x.size(); ++i)
          ASSERT_LE(std::abs(openmp[i] - plain[i]), 0x1p-23f * std::abs(plain[i])) << size << ", " << i;
      }
}

// Runs of the kernels alone, on vectors that no lesson can compare.
class Normalize : public simulator::SimulatorTest {
 protected:
  Values normalized(const Values& x, const std::string& way) {
    const auto vector = buffer(x), result = buffer(Values(x.size(), -1));
    const auto sum = buffer(std::vector<double>{0});
    const int size = static_cast<int>(x.size());
    const LaunchConfig launch{.grid = {2}, .block = {64}};
    const std::string sum_kernel = "normalize_sum_" + way;
    const std::string scale_kernel = way == "wide_loads" ? "normalize_scale_wide_loads" : "normalize_scale";
    this->launch(kernels_of(way), sum_kernel, launch, static_cast<const float*>(vector.pointer()),
                 sum.pointer(), size);
    this->launch(kernels_of(way), scale_kernel, launch, static_cast<const float*>(vector.pointer()),
                 static_cast<const double*>(sum.pointer()), result.pointer(), size);
    return result.values();
  }

  const std::vector<std::string> ways_{"shared", "shuffle", "wide_loads"};
};

INSTANTIATE_TEST_SUITE_P(With, Normalize, simulator::both_compilers, simulator::name_of_compiler);

TEST_P(Normalize, MakesTheLengthOneAndKeepsTheDirection) {
  for (const std::string& way : ways_)
    for (const float scale : {1.0f, 1e30f, 1e-30f}) {
      Values x(1000);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = scale * (static_cast<float>(i) - 300.5f);
      const Values y = normalized(x, way);
      EXPECT_NEAR(length(y), 1, 1e-6);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], x[i] / length(x), 1e-7) << way;
    }
}

TEST_P(Normalize, IsExactWhereTheLengthIsAWholeNumber) {
  for (const std::string& way : ways_)
    EXPECT_EQ(normalized({3, 0, -4}, way), (Values{0.6f, 0, -0.8f})) << way;
}

TEST_P(Normalize, LeavesTheZeroVectorZero) {
  for (const std::string& way : ways_) EXPECT_EQ(normalized(Values(100, 0), way), Values(100, 0)) << way;
}

TEST_P(Normalize, DividesByInfinityAsIeee754Does) {
  for (const std::string& way : ways_) {
    const Values y = normalized({1, -2, infinity, 0, 5}, way);
    EXPECT_TRUE(std::isnan(y[2])) << way;
    for (const std::size_t finite : {0, 1, 3, 4}) EXPECT_EQ(y[finite], 0) << way;
  }
}

TEST_P(Normalize, SpreadsNotANumberToAllElements) {
  for (const std::string& way : ways_)
    for (const float value : normalized({1, not_a_number, 3, 4, 5}, way))
      EXPECT_TRUE(std::isnan(value)) << way;
}

}  // namespace normalize_test
}  // namespace gpulab
