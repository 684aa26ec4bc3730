#include "run/validate/evidence.hpp"

#include "filled_array.hpp"
#include "test.hpp"

namespace gpulab::run::validate {
namespace {

constexpr std::size_t length = 1000;

std::vector<float> all_different() {
  std::vector<float> values(length);
  for (std::size_t i = 0; i < length; ++i) values[i] = 100 * std::sin(static_cast<float>(i));
  return values;
}

Explanation explain(const std::vector<float>& actual, const std::vector<float>& expected = all_different()) {
  const Array got = array_of(actual), reference = array_of(expected);
  const WorkItems items{.launch = {.grid = {8}, .block = {128}}, .ownership = Ownership::one_item};
  return explain_difference(compare(got, reference, exact), got, reference, items);
}

// Explains a result whose element i holds what element source(i) should.
template <class Source>
Explanation explain_moved(Source source) {
  const std::vector<float> right = all_different();
  std::vector<float> moved(length);
  for (std::size_t i = 0; i < length; ++i) moved[i] = right[source(i)];
  return explain(moved);
}

void expect_cause(const Explanation& explanation, const std::string& pattern, const std::string& cause) {
  EXPECT_EQ(explanation.pattern, pattern) << explanation.text();
  EXPECT_TRUE(explanation.text().ends_with(cause)) << explanation.text();
}

TEST(MisplacedValues, AreReversed) {
  const Explanation explanation = explain_moved([](std::size_t i) { return length - 1 - i; });
  expect_cause(explanation, "misplaced", "consistent with an index that counts from the end");
  EXPECT_TRUE(
      explanation.text().starts_with("1 000 of 1 000 wrong, each of them holds what the element as far from "
                                     "the other end should, first C[0]: expected 0, got "))
      << explanation.text();
}

TEST(MisplacedValues, AreSomePlacesFurtherOn) {
  expect_cause(explain_moved([](std::size_t i) { return i < 500 ? i + 7 : i; }), "misplaced",
               "consistent with an index that is off by as many");
  EXPECT_NE(
      explain_moved([](std::size_t i) { return i < 12 ? i : i - 12; }).text().find("12 places before it"),
      std::string::npos);
}

TEST(MisplacedValues, AreThoseOfBlockZero) {
  expect_cause(explain_moved([](std::size_t i) { return i % 128; }), "misplaced",
               "consistent with an index of an input that leaves out blockIdx");
}

TEST(MisplacedValues, AreThoseAtTheIndexOfTheBlock) {
  expect_cause(explain_moved([](std::size_t i) { return i / 128; }), "misplaced",
               "consistent with an index of an input that leaves out threadIdx");
}

TEST(MisplacedValues, AreExchangedInAnyOrder) {
  expect_cause(explain_moved([](std::size_t i) { return i * 377 % length; }), "misplaced",
               "consistent with an index for what is read that is not the index for what is written");
}

TEST(MisplacedValues, AreOneValueForEveryBlock) {
  expect_cause(explain_moved([](std::size_t i) { return std::min(i / 128 * 128 + 127, length - 1); }),
               "misplaced", "consistent with threads of a block that overwrite each other's value");
}

TEST(MisplacedValues, AreOneValueForAll) {
  const Explanation explanation = explain_moved([](std::size_t) { return 5; });
  expect_cause(explanation, "repeated", "consistent with threads that all compute the same element");
  EXPECT_NE(explanation.text().find("each of them holds what C[5] should"), std::string::npos)
      << explanation.text();
}

TEST(MisplacedValues, MayHaveUnwrittenOnesAmongThem) {
  std::vector<float> values = all_different();
  std::swap(values[3], values[900]);
  std::swap(values[4], values[700]);
  values[10] = poison<float>();
  const Explanation explanation = explain(values);
  EXPECT_EQ(explanation.pattern, "misplaced");
  EXPECT_TRUE(explanation.text().starts_with("5 of 1 000 wrong, 1 of them unwritten, the others hold what"))
      << explanation.text();
}

TEST(MisplacedValues, AreNotClaimedWhereOneValueBelongsToNoElement) {
  std::vector<float> values = all_different();
  std::ranges::reverse(values);
  values[100] = 0.12345f;
  EXPECT_EQ(explain(values).pattern, "wrong-values");
}

TEST(MisplacedValues, AreNotClaimedWhereValuesMayBeThereByChance) {
  std::vector<float> counts(length), reversed;
  for (std::size_t i = 0; i < length; ++i) counts[i] = static_cast<float>(i * i % 1009);
  reversed.assign(counts.rbegin(), counts.rend());
  EXPECT_EQ(explain(reversed, counts).pattern, "wrong-values")
      << "most of these whole numbers belong to several elements";
  std::vector<float> few = all_different();
  for (std::size_t i = 0; i < length; ++i) few[i] = few[i % 10];
  reversed.assign(few.rbegin(), few.rend());
  EXPECT_EQ(explain(reversed, few).pattern, "wrong-values") << "each of ten values belongs to many elements";
}

}  // namespace
}  // namespace gpulab::run::validate
