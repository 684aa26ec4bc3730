#include "lesson/handles.hpp"

#include <concepts>

#include "lesson/arrays.hpp"
#include "lesson/launch.hpp"
#include "lesson/problem.hpp"
#include "test.hpp"

namespace gpulab {
namespace handles_test {

const Input<float> A{"A"};
const Input<int> kinds{"kinds"};
const Output<int> counts{"counts", InitialContents::cleared};
const Scratch<double> partials{"partials"};
const Scalar<int> size{"size"};

TEST(Handle, WithALengthIsASizedArray) {
  const SizedArray array = counts(256);
  EXPECT_EQ(array.name, "counts");
  EXPECT_EQ(array.type, ElementType::int32);
  EXPECT_EQ(array.role, Role::output);
  EXPECT_EQ(array.initial_contents, InitialContents::cleared);
  EXPECT_EQ(array.length, 256u);
  EXPECT_EQ(array.shape, (Extent{256}));
  EXPECT_EQ(array.bytes(), 1024u);
}

TEST(Handle, WithColumnsAndRowsHasTheirShape) {
  const SizedArray image = A(30, 20);
  EXPECT_EQ(image.length, 600u);
  EXPECT_EQ(image.shape, (Extent{30, 20}));
}

template <class Arrays, class Handle>
concept Has = requires(Arrays arrays, Handle handle) {
  arrays[handle];
};

TEST(Arrays, TakeNoHandleOfAnotherRole) {
  static_assert(Has<Inputs, Input<float>> && Has<Outputs, Output<int>>);
  static_assert(!Has<Inputs, Output<int>> && !Has<Outputs, Input<float>> && !Has<Inputs, Scratch<double>>);
  static_assert(!std::constructible_from<AnyOutput, Input<float>>);
  static_assert(!std::constructible_from<AnyInput, Scratch<double>>);
}

TEST(Arrays, GiveElementsOfTheHandlesType) {
  Inputs inputs({A(3), counts(5), kinds(2)});
  EXPECT_EQ(inputs.count(), 2u);
  inputs[A][2] = 0.5f;
  EXPECT_EQ(std::as_const(inputs)[A].back(), 0.5f);
  static_assert(std::same_as<decltype(std::as_const(inputs)[A]), std::span<const float>>);
  EXPECT_EQ(Outputs({A(3), counts(5)})[counts].size(), 5u);
}

TEST(Arrays, RefuseAHandleThatTheProblemDoesNotHave) {
  Inputs inputs({A(3)});
  EXPECT_THROW(inputs[kinds], std::logic_error);
  EXPECT_THROW(inputs[Input<int>{"A"}], std::logic_error) << "it has an A of another type";
}

TEST(LaunchContext, KnowsTheProblemsLengthsAndValues) {
  const Problem problem{.description = "", .arrays = {A(7)}, .scalars = {size(7)}};
  const LaunchContext context{.problem = &problem};
  EXPECT_EQ(context[size], 7);
  EXPECT_EQ(context.length(A), 7u);
  EXPECT_THROW(context[Scalar<int>{"width"}], std::logic_error);
  EXPECT_THROW(context.length(partials), std::logic_error);
  EXPECT_THROW(LaunchContext{}[size], std::logic_error) << "there is no problem";
}

TEST(ExtentText, LeavesOutTheSizesOfOneAtItsEnd) {
  EXPECT_EQ(text_of(Extent{256}), "256");
  EXPECT_EQ(text_of(Extent{16, 8}), "(16, 8)");
  EXPECT_EQ(text_of(Extent{8, 8, 4}), "(8, 8, 4)");
  EXPECT_EQ(text_of(Extent{8, 1, 4}), "(8, 1, 4)");
}

}  // namespace handles_test
}  // namespace gpulab
