#include <algorithm>

#include "simulator/simulator_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator::compile {
namespace {

// Every atomic is tried on in[0] with the operand in[1]; the rows of out are {what it returned, what it
// left}.
const std::string atomics = source_text("tests/simulator/compile/prelude_atomics.cu");

// Each operation leaves what the host computes, and returns what was there before.
template <class T>
std::vector<T> expected_of_integers(T a, T b) {
  const auto add = [](T x, T y) {
    return static_cast<T>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
  };
  const std::vector<T> left{add(a, b),
                            add(a, static_cast<T>(0u - static_cast<unsigned>(b))),
                            b,
                            std::min(a, b),
                            std::max(a, b),
                            static_cast<T>(a & b),
                            static_cast<T>(a | b),
                            static_cast<T>(a ^ b),
                            b,
                            a};
  std::vector<T> rows;
  for (const T value : left) rows.insert(rows.end(), {a, value});
  return rows;
}

template <class T>
std::vector<T> part(const std::vector<T>& all, std::size_t first, std::size_t count) {
  const auto start = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {start, start + static_cast<std::ptrdiff_t>(count)};
}

class PreludeAtomics : public SimulatorTest {};

TEST_P(PreludeAtomics, UpdateAnIntInSharedAndInGlobalMemory) {
  for (const std::vector<int>& in : {std::vector{12, -7}, std::vector{-7, 12}, std::vector{2147483647, 2}}) {
    const auto out = results<int>(atomics, "on_int", {}, in, 41);
    EXPECT_EQ(part(out, 0, 20), expected_of_integers(in[0], in[1]));
    EXPECT_EQ(part(out, 21, 20), expected_of_integers(in[0], in[1]));
  }
}

TEST_P(PreludeAtomics, UpdateAnUnsignedInSharedAndInGlobalMemory) {
  for (const std::vector<unsigned>& in : {std::vector{12u, 4000000000u}, std::vector{4000000000u, 12u}}) {
    const auto out = results<unsigned>(atomics, "on_unsigned", {}, in, 41);
    EXPECT_EQ(part(out, 0, 20), expected_of_integers(in[0], in[1]));
    EXPECT_EQ(part(out, 21, 20), expected_of_integers(in[0], in[1]));
  }
}

TEST_P(PreludeAtomics, IncrementAndDecrementWrapAtTheirLimit) {
  const std::vector<unsigned> start_and_limit{0, 5, 5, 5, 9, 5, 3, 5};
  const std::vector<unsigned> once{1, 0, 0, 4, 5, 4, 5, 2};
  const auto out = results<unsigned>(atomics, "wrapping", {}, start_and_limit, 17);
  EXPECT_EQ(part(out, 0, 8), once);
  EXPECT_EQ(part(out, 8, 8), once);
}

TEST_P(PreludeAtomics, UpdateAFloatAndADouble) {
  const std::vector<float> rows{1.5f, 3.75f, 1.5f, 2.25f};
  const auto floats = results<float>(atomics, "on_float", {}, std::vector<float>{1.5f, 2.25f}, 9);
  EXPECT_EQ(part(floats, 0, 4), rows);
  EXPECT_EQ(part(floats, 4, 4), rows);
  const auto doubles = results<double>(atomics, "on_double", {}, std::vector<double>{0.1, 1e-9}, 5);
  EXPECT_EQ(part(doubles, 0, 4), (std::vector<double>{0.1, 0.1 + 1e-9, 0.1, 0.1 + 1e-9}));
}

TEST_P(PreludeAtomics, Update64Bits) {
  const double a = 1e15, b = 3e14;
  const std::vector<double> returned{a, a + b, b, 2 * b, a};
  const auto out = results<double>(atomics, "on_64_bits", {}, std::vector<double>{a, b}, 11);
  EXPECT_EQ(part(out, 0, 5), returned);
  EXPECT_EQ(part(out, 5, 5), returned);
}

TEST_P(PreludeAtomics, LoseNothingWhenManyBlocksMeetAtOneAddress) {
  const int threads = 500 * 100;
  const DeviceBuffer<int> one = buffer(std::vector<int>{1});
  const DeviceBuffer<int> out = buffer(std::vector<int>(5));
  launch(atomics, "count_threads", {.grid = {500}, .block = {100}}, static_cast<const int*>(one.pointer()),
         out.pointer());
  float as_float = static_cast<float>(threads);
  int bits;
  __builtin_memcpy(&bits, &as_float, sizeof bits);
  EXPECT_EQ(out.values(), (std::vector<int>{threads, bits, threads - 1, threads, threads}));
}

INSTANTIATE_TEST_SUITE_P(Compilers, PreludeAtomics, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::compile
