#include "lesson/handles.hpp"

#include "test.hpp"

namespace gpulab {
namespace arguments_test {

const Input<float> A{"A"};
const Output<float> B{"B"};
const Scratch<double> sums{"sums"};
const Scalar<int> size{"size"};

std::string signature(const Arguments& arguments) {
  return arguments.signature().text();
}

TEST(Arguments, HaveTheSignatureOfTheirHandles) {
  EXPECT_EQ(signature({A, B, size}), "(const float*, float*, int)");
  EXPECT_EQ(signature({as_vectors<4>(A), sums, reads(sums), Scalar<float>{"factor"}}),
            "(const float4*, double*, const double*, float)");
  EXPECT_TRUE(Arguments{}.empty());
}

TEST(Arguments, TakeTheProblemsValueOfAScalarOrOneOfTheirOwn) {
  const Arguments arguments{size, size(12)};
  EXPECT_FALSE(arguments.list().at(0).value);
  EXPECT_EQ(arguments.list().at(1).value, 12u);
}

TEST(Arguments, TakeAPartOfAnArray) {
  const Arguments arguments{from(100, A), B};
  EXPECT_EQ(signature(arguments), "(const float*, float*)");
  EXPECT_EQ(arguments.list().at(0).offset, 100u);
  EXPECT_EQ(arguments.list().at(1).offset, 0u);
}

TEST(Argument, IsAnyHandleOfItsType) {
  Argument<const double*> read = reads(sums);
  EXPECT_EQ(read.name, "sums");
  Argument<float*> target = B;
  EXPECT_EQ(signature({reads(target), target}), "(const float*, float*)");
  static_assert(!std::constructible_from<Argument<float*>, Input<float>>, "inputs are only read");
  static_assert(!std::constructible_from<Argument<const double*>, Input<float>>);
}

void add(const float* a, float* b, int n) {
  for (int i = 0; i < n; ++i) b[i] += a[i];
}

TEST(Signature, CallsAFunctionOfTheHost) {
  float a[]{1, 2}, b[]{10, 20};
  const float* from = a;
  float* to = b;
  int n = 2;
  void* const arguments[]{&from, &to, &n};
  signature_of<const float*, float*, int>().host_call(reinterpret_cast<void*>(add), arguments);
  EXPECT_EQ(b[0], 11);
  EXPECT_EQ(b[1], 22);
}

}  // namespace arguments_test
}  // namespace gpulab
