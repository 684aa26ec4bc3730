#include "run/validate/evidence.hpp"

#include "test.hpp"

namespace gpulab::run::validate {
namespace {

const Input<float> A{"A"}, B{"B"};
const Output<float> C{"C"};
const Output<float> sum{"sum", InitialContents::cleared};

constexpr std::size_t elements = 600;

Problem difference() {
  return {.arrays = {A(elements), B(elements), C(elements)},
          .fill = uniform_around_zero(A, B),
          .references = elementwise(
              C, [](float a, float b) { return a - b; }, A, B)};
}

void add_up(const Inputs& inputs, const std::function<double(std::size_t)>& weight, Outputs& outputs) {
  double all = 0;
  for (std::size_t i = 0; i < elements; ++i) all += weight(i) * inputs[A][i];
  outputs[sum][0] = static_cast<float>(all);
}

Problem sum_of_all() {
  return {.arrays = {A(elements), sum(1)},
          .fill = uniform(A),
          .references = {.plain =
                             [](const Inputs& in, Outputs& out) {
                               add_up(
                                   in, [](auto) { return 1.0; }, out);
                             }},
          .tolerance = {.relative = 1e-5},
          .terms = {.name = "element", .count = elements, .compute = add_up}};
}

using WrongKernel = std::function<void(const Inputs& inputs, std::span<float> result)>;

// Explains a result that a kernel has computed for the problem in blocks of 256.
Explanation explained(const Problem& problem, const WrongKernel& compute) {
  Inputs inputs(problem.arrays);
  problem.fill(inputs, 7);
  Outputs expected(problem.arrays), actual(problem.arrays);
  problem.references.plain(inputs, expected);
  problem.references.plain(inputs, actual);
  compute(inputs, actual.begin()->as<float>());
  const Comparison comparison = compare(actual.at(0), expected.at(0), problem.tolerance);
  const WorkItems items{.launch = {.grid = {3}, .block = {256}}, .work = problem.work_items()};
  return explain_by_candidates({.problem = problem,
                                .inputs = inputs,
                                .actual = actual.at(0),
                                .expected = expected.at(0),
                                .comparison = comparison,
                                .items = items})
      .value_or(Explanation{.pattern = "none", .fact = "none"});
}

// Explains a difference whose element i has this value.
Explanation each(
    const std::function<float(std::span<const float> a, std::span<const float> b, std::size_t i)>& value) {
  return explained(difference(), [&](const Inputs& inputs, std::span<float> result) {
    for (std::size_t i = 0; i < elements; ++i) result[i] = value(inputs[A], inputs[B], i);
  });
}

void expect(const Explanation& explanation, const std::string& pattern, const std::string& end) {
  EXPECT_EQ(explanation.pattern, pattern) << explanation.text();
  EXPECT_TRUE(explanation.text().ends_with(end)) << explanation.text();
}

TEST(Candidates, AreOtherFormulasOfTheSameInputs) {
  expect(each([](auto a, auto b, auto i) { return a[i] + b[i]; }), "wrong-formula",
         "each wrong element is A + B");
  expect(each([](auto a, auto, auto i) { return a[i]; }), "wrong-formula", "each wrong element is A alone");
  expect(each([](auto a, auto b, auto i) { return i % 2 ? a[i] * b[i] : a[i] - b[i]; }), "wrong-formula",
         "A * B");
}

TEST(Candidates, AreFunctionsOfTheRightValue) {
  expect(each([](auto a, auto b, auto i) { return b[i] - a[i]; }), "wrong-sign", "-1 times its right value");
  expect(each([](auto a, auto b, auto i) { return 3 * (a[i] - b[i]); }), "constant-factor",
         "3 times its right value");
  expect(each([](auto a, auto b, auto i) { return (a[i] - b[i]) / 2; }), "constant-factor",
         "1/2 of its right value");
  expect(each([](auto a, auto b, auto i) { return a[i] - b[i] + 0.5f; }), "constant-offset",
         "0.5 more than it should be");
  expect(each([](auto a, auto b, auto i) { return std::abs(a[i] - b[i]); }), "wrong-sign",
         "without the sign");
  expect(each([](auto a, auto b, auto i) { return std::max(0.0f, a[i] - b[i]); }), "wrong-zeros",
         "is negative");
  expect(each([](auto a, auto b, auto i) { return std::trunc(a[i] - b[i]); }), "whole-numbers",
         "without its fraction");
}

TEST(Candidates, AreInputsReadAtAnotherIndex) {
  expect(each([](auto a, auto b, auto i) { return a[i] - b[std::min(i + 1, elements - 1)]; }), "input-index",
         "if B is read one element further on");
  expect(each([](auto a, auto b, auto i) { return a[i % 256] - b[i]; }), "input-index",
         "if A is read at threadIdx alone, without blockIdx");
  expect(each([](auto a, auto b, auto i) { return a[i] - b[elements - 1 - i]; }), "input-index",
         "if B is read backwards");
}

TEST(Candidates, AreNoOtherIndicesWhereManyRightValuesAreEqual) {
  Problem clamped = difference();
  clamped.references = elementwise(
      C, [](float a, float b) { return std::clamp(4 * (a - b), -1.0f, 1.0f); }, A, B);
  const Explanation low = explained(clamped, [](const Inputs&, std::span<float> result) {
    for (float& value : result) value = -1;
  });
  EXPECT_NE(low.pattern, "input-index") << low.text();
}

TEST(Candidates, AreTypicalMistakesOfEveryElementOrOfSome) {
  Problem problem = difference();
  problem.typically_wrong = {
      {"zero-and-one-swapped", "{} element is B - A", [](const Inputs& inputs, Outputs& outputs) {
         for (std::size_t i = 0; i < elements; ++i) outputs[C][i] = inputs[B][i] - inputs[A][i];
       }}};
  const auto exchanged_from = [&](std::size_t first) {
    return explained(problem, [=](const Inputs& inputs, std::span<float> result) {
      for (std::size_t i = first; i < elements; ++i) result[i] = inputs[B][i] - inputs[A][i];
    });
  };
  EXPECT_EQ(exchanged_from(0).computed, "every element is B - A");
  EXPECT_EQ(exchanged_from(300).computed, "each wrong element is B - A");
  EXPECT_EQ(exchanged_from(300).pattern, "zero-and-one-swapped");
}

Explanation sum_with(const std::function<double(std::size_t)>& weight) {
  return explained(sum_of_all(), [&](const Inputs& inputs, std::span<float> result) {
    double all = 0;
    for (std::size_t i = 0; i < elements; ++i) all += weight(i) * inputs[A][i];
    result[0] = static_cast<float>(all);
  });
}

TEST(Candidates, AreSumsThatLackAPartOrHaveItTwice) {
  expect(sum_with([](auto i) { return i + 1 < elements; }), "skipped-elements",
         "it is what comes out without the last element");
  expect(sum_with([](auto i) { return i > 0; }), "skipped-elements", "without the first element");
  expect(sum_with([](auto i) { return i < 512; }), "skipped-elements",
         "of the first 512 of 600 elements alone: a multiple of 256");
  expect(sum_with([](auto i) { return i < 256; }), "skipped-elements", "those of block 0");
  expect(sum_with([](auto i) { return i % 2 == 0; }), "skipped-elements",
         "without the elements with an odd index");
  expect(sum_with([](auto i) { return i + 1 == elements ? 2 : 1; }), "counted-twice",
         "with the last element twice");
  expect(sum_with([](auto) { return 2; }), "counted-twice", "with every element twice");
  expect(sum_with([](auto) { return 3; }), "constant-factor", "3 times the result");
}

TEST(Candidates, NameBlocksOnlyOfElementsThatBelongToThem) {
  Problem problem = sum_of_all();
  problem.terms.name = "term";
  const Explanation of_terms = explained(problem, [](const Inputs& inputs, std::span<float> result) {
    result[0] = 0;
    for (std::size_t i = 0; i < 256; ++i) result[0] += inputs[A][i];
  });
  EXPECT_TRUE(contains(of_terms.computed, "of the first 256 of 600 terms alone"));
  EXPECT_FALSE(contains(of_terms.computed, "block")) << of_terms.computed;
}

TEST(Candidates, AreResultsRoundedToAShorterType) {
  const Explanation result = each([&](auto a, auto b, auto i) {
    const float right = a[i] - b[i];
    const int exponent = std::ilogb(right);  // a half has 10 bits after the first one
    return std::ldexp(std::nearbyint(std::ldexp(right, 10 - exponent)), exponent - 10);
  });
  EXPECT_EQ(result.pattern, "rounding-only") << result.text();
}

TEST(Candidates, AreNotSumsThatAreOnlyNearTheResult) {
  const Explanation nearly = explained(sum_of_all(), [](const Inputs& inputs, std::span<float> result) {
    result[0] += inputs[A][0] * 1.02f;  // close to, but not, the first element twice
  });
  EXPECT_NE(nearly.pattern, "counted-twice") << nearly.text();
}

TEST(Candidates, AreNotMadeUpForWhatFitsNone) {
  EXPECT_EQ(sum_with([](auto i) { return i % 7 == 3 ? 0.31 : 1; }).pattern, "none");
  EXPECT_EQ(each([](auto a, auto b, auto i) { return a[i] - b[i] + (i % 5 ? 0.1f * a[i / 3] : 0); }).pattern,
            "none");
}

TEST(Candidates, AreSumsWhereEveryBlockTakesTheSameElements) {
  expect(explained(sum_of_all(),
                   [](const Inputs& inputs, std::span<float> result) {
                     result[0] = 0;
                     for (std::size_t i = 0; i < 256; ++i) result[0] += 3 * inputs[A][i];
                   }),
         "input-index", "of the elements of block 0 alone, 3 times: every block takes the same ones");
}

TEST(Candidates, AreResultsOfChangedInputs) {
  expect(each([](auto a, auto b, auto i) { return a[i] * a[i] - b[i]; }), "wrong-formula",
         "each wrong element is what comes out if A is squared");
}

// The elements lie in [-1, 1), so that B without its fractions, which is 0 as well, would explain the result,
// too.
TEST(Candidates, AreResultsWithoutOneOfTheInputs) {
  Problem weighted = difference();
  weighted.references.plain = [](const Inputs& in, Outputs& out) {
    for (std::size_t i = 0; i < elements; ++i) out[C][i] = 3 * in[A][i] + in[B][i];
  };
  const Explanation one_input = explained(weighted, [](const Inputs& in, std::span<float> result) {
    for (std::size_t i = 0; i < elements; ++i) result[i] = 3 * in[A][i];
  });
  expect(one_input, "wrong-formula", "what comes out if B is 0 everywhere");
}

TEST(Candidates, KeepTheOthersThatFitAsWell) {
  const Explanation result = each([](auto a, auto, auto i) { return a[i]; });
  EXPECT_TRUE(result.allows(result.model));
  EXPECT_FALSE(result.allows("another cause"));
}

TEST(Candidates, AreNotFoundAmongElementsThatAreHardlyWrong) {
  expect(each([](auto a, auto b, auto i) { return (a[i] - b[i]) * (1 + 3e-6f * (i % 2 == 0 ? 1 : -1)); }),
         "none", "none");
}

}  // namespace
}  // namespace gpulab::run::validate
