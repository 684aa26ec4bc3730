#include "lesson/problem.hpp"

#include "lesson/lesson.hpp"
#include "test.hpp"

namespace gpulab {
namespace problem_test {

const Input<float> A{"A"}, B{"B"};
const Output<float> C{"C"};
const Output<int> bins{"bins"};
const Scratch<float> between{"between"};
const Scalar<int> size{"size"};

References sum() {
  return elementwise(
      C, [](float a, float b) { return a + b; }, A, B);
}

TEST(Elementwise, MakesBothReferencesOfOneFormula) {
  const std::vector<SizedArray> arrays{A(1000), B(1000), C(1000)};
  Inputs inputs(arrays);
  std::iota(inputs[A].begin(), inputs[A].end(), 0.0f);
  std::ranges::fill(inputs[B], 0.5f);
  const References references = sum();
  for (const Reference& reference : {references.plain, references.openmp}) {
    Outputs outputs(arrays);
    reference(inputs, outputs);
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(outputs[C][i], static_cast<float>(i) + 0.5f);
  }
}

TEST(Elementwise, UsesElementsOfTheSameIndex) {
  const std::vector<InputElement> used = sum().uses(7);
  ASSERT_EQ(used.size(), 2u);
  EXPECT_TRUE(used[1].array.is_called("B"));
  EXPECT_EQ(used[1].index, 7u);
}

TEST(Both, ComputesOneOutputAfterTheOther) {
  const std::vector<SizedArray> arrays{A(3), C(3), bins(3)};
  Inputs inputs(arrays);
  std::ranges::fill(inputs[A], 2.0f);
  Outputs outputs(arrays);
  both(elementwise(
           C, [](float a) { return a; }, A),
       by_index(bins, [](std::size_t i) { return static_cast<int>(i); }))
      .openmp(inputs, outputs);
  EXPECT_EQ(outputs[C][2], 2);
  EXPECT_EQ(outputs[bins][2], 2);
}

TEST(Uniform, GivesEachArrayASequenceOfItsOwn) {
  Inputs inputs({A(100), B(100)});
  uniform(A, B)(inputs, 42);
  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(inputs[A][i], random_float(2 * 42, i));
    ASSERT_EQ(inputs[B][i], random_float(2 * 42 + 1, i));
  }
  uniform_around_zero(A)(inputs, 42);
  EXPECT_EQ(inputs[A][5], 2 * random_float(42, 5) - 1);
}

TEST(Problem, HasAWorkItemForEachElementOfItsFirstOutput) {
  EXPECT_EQ((Problem{.arrays = {A(10), C(30, 20), bins(5)}}.work_items()), (Extent{30, 20}));
  const Problem counting{.arrays = {A(10), bins(5)}, .work = WorkOver{A, "each element counts in one bin"}};
  EXPECT_EQ(counting.work_items(), Extent{10});
}

TEST(Problem, MovesEachInputAndOutputOnceUnlessItSaysOtherwise) {
  const Traffic least = Problem{.arrays = {A(10), C(10), between(10)}}.min_traffic();
  EXPECT_EQ(least.bytes_read, 40);
  EXPECT_EQ(least.bytes_written, 40);
  const Traffic stated =
      Problem{.arrays = {A(10), B(10), C(10)}, .traffic = {.bytes_read = 80}, .copied = {A, C}}.min_traffic();
  EXPECT_EQ(stated.bytes_read, 80);
  EXPECT_EQ(stated.bytes_written, 40);
  EXPECT_EQ((Problem{.arrays = {A(10), C(10)}, .traffic = no_traffic}.min_traffic().bytes_read), 0);
}

std::string refusal(const Lesson& lesson, const Problem& problem) {
  return message_thrown<std::logic_error>([&] { lesson.require_consistent(problem); }, "none");
}

TEST(Lesson, FitsAProblemThatHasWhatItUses) {
  const Problem problem{.arrays = {A(10), C(10)}, .scalars = {size(10)}};
  EXPECT_EQ(refusal({.name = "scale", .arguments = {A, C, size}}, problem), "none");
  EXPECT_EQ(refusal({.name = "scale", .arguments = {A, C, Scalar<int>{"half"}(5)}}, problem), "none");
}

TEST(Lesson, NamesTheArrayThatItsProblemDoesNotHave) {
  const Problem problem{.arrays = {A(10), C(10)}, .scalars = {size(10)}};
  EXPECT_EQ(refusal({.name = "scale", .arguments = {B, C, size}}, problem),
            "scale: its problem has no float 'B'");
  EXPECT_EQ(refusal({.name = "scale", .arguments = {A, Output<int>{"C"}, size}}, problem),
            "scale: its problem has no int 'C'");
  EXPECT_EQ(refusal({.name = "scale", .arguments = {A, C, Scalar<int>{"n"}}}, problem),
            "scale: its problem has no int 'n'");
  EXPECT_EQ(refusal({.name = "scale", .variants = {{.name = "one", .computes = {bins}}}}, problem),
            "scale: its problem has no int 'bins'");
}

TEST(Lesson, RefusesTwoArraysOfOneName) {
  EXPECT_EQ(refusal({.name = "scale"}, {.arrays = {A(10), Output<float>{"A"}(10)}}),
            "scale: two arrays or scalars are called 'A'");
}

}  // namespace problem_test
}  // namespace gpulab
