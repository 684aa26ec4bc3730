#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator {
namespace {

// The value of shared memory before it is written: negative as an int, NaN as a float, and not the 0xFFFFFFFF
// that outputs have before a launch.
constexpr int garbage = static_cast<int>(0xFFFFDEAD);

const std::string shared = source_text("tests/simulator/shared_memory.cu");

const std::string in_a_function = source_text("tests/simulator/shared_memory_in_a_function.cu");

const std::string too_large = R"(__global__ void too_large(int* out) {
  __shared__ int tile[12 * 1024 + 1];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
)";

std::vector<int> numbers_below(int count) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) values.push_back(i);
  return values;
}

class SharedMemoryOfTheSimulator : public SimulatorTest {};

TEST_P(SharedMemoryOfTheSimulator, IsTheBlocksOwn) {
  std::vector<int> expected;
  for (int item = 0; item < 300 * 64; ++item) expected.push_back(item / 64 * 64 + 63 - item % 64);
  EXPECT_EQ(
      results<int>(shared, "reverse", {.grid = {300}, .block = {64}}, numbers_below(300 * 64), 300 * 64),
      expected);
}

TEST_P(SharedMemoryOfTheSimulator, CanHaveTwoDimensions) {
  std::vector<int> expected;
  for (int item = 0; item < 64; ++item) expected.push_back(item % 8 * 8 + item / 8);
  EXPECT_EQ(results<int>(shared, "transpose", {.block = {8, 8}}, numbers_below(64), 64), expected);
}

TEST_P(SharedMemoryOfTheSimulator, CanBelongToATemplate) {
  std::vector<int> expected;
  for (int item = 0; item < 48; ++item) expected.push_back((item + 1) % 48 * 1001);
  EXPECT_EQ(results<int>(shared, "rotate", {.block = {48}}, numbers_below(48), 48), expected);
  EXPECT_EQ(results<int>(shared, "sum<64>", {.block = {64}}, numbers_below(64), 1),
            (std::vector<int>{64 * 63 / 2}));
}

TEST_P(SharedMemoryOfTheSimulator, HasTheSizeThatTheLaunchAsksFor) {
  for (const unsigned threads : {1u, 33u, 1024u}) {
    std::vector<int> expected = numbers_below(static_cast<int>(threads));
    const auto out =
        results<int>(shared, "reverse_dynamic",
                     {.block = {threads}, .dynamic_shared_bytes = threads * sizeof(int)}, expected, threads);
    EXPECT_EQ(out, std::vector<int>(expected.rbegin(), expected.rend()));
  }
}

TEST_P(SharedMemoryOfTheSimulator, AliasesAllItsDynamicArrays) {
  const auto out =
      results<int>(shared, "alias", {.block = {40}, .dynamic_shared_bytes = 160}, numbers_below(40), 40);
  for (std::size_t i = 0; i < 40; ++i) {
    const float value = static_cast<float>(i);
    unsigned char bytes[4];
    __builtin_memcpy(bytes, &value, 4);
    EXPECT_EQ(out[i], bytes[3]);
  }
}

TEST_P(SharedMemoryOfTheSimulator, StartsPoisonedInEveryBlock) {
  const LaunchConfig config{.grid = {200}, .block = {1}, .dynamic_shared_bytes = 32};
  EXPECT_EQ(results<int>(shared, "look_at_the_garbage", config, std::vector<int>{200}, 800),
            std::vector<int>(800, garbage));
}

TEST_P(SharedMemoryOfTheSimulator, IsCountedPerKernel) {
  const auto module = device().compile({"test.cu", shared}, {});
  const auto bytes = [&](const std::string& kernel) {
    return find<const int*, int*>(*module, kernel)->attributes().static_shared_bytes;
  };
  EXPECT_EQ(bytes("reverse"), 256u);
  EXPECT_EQ(bytes("transpose"), 288u);
  EXPECT_EQ(bytes("sum<64>"), 256u);
  EXPECT_EQ(bytes("reverse_dynamic"), 0u);
  EXPECT_EQ(bytes("just_fits"), 49152u);
}

TEST_P(SharedMemoryOfTheSimulator, StartsPoisonedInDeviceFunctionsToo) {
  const auto out =
      results<int>(in_a_function, "look_through_a_function", {.grid = {200}}, std::vector<int>{5}, 200);
  EXPECT_EQ(out, std::vector<int>(200, garbage));
}

TEST_P(SharedMemoryOfTheSimulator, CannotBeWrittenPastTheBytesOfTheLaunch) {
  const std::string kernel =
      "__global__ void fill(int* out) {\n  extern __shared__ int words[];\n  words[threadIdx.x] = 7;\n"
      "  __syncthreads();\n  out[threadIdx.x] = words[threadIdx.x];\n}\n";
  const DeviceBuffer<int> out = buffer(std::vector<int>(32));
  launch(kernel, "fill", {.block = {32}, .dynamic_shared_bytes = 128}, out.pointer());
  EXPECT_EQ(out.values(), std::vector<int>(32, 7));
  const device::DeviceError error =
      failure(kernel, "fill", {.block = {32}, .dynamic_shared_bytes = 124}, out.pointer());
  EXPECT_EQ(error.name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_TRUE(contains(error.explanation(), "the launch gives it 124 bytes"));
}

TEST_P(SharedMemoryOfTheSimulator, HoldsUpTo48KiB) {
  const auto out = results<int>(shared, "just_fits", {.block = {32}}, std::vector<int>{3}, 32);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 3 * (12 * 1024 - 1 - i));
}

TEST_P(SharedMemoryOfTheSimulator, IsRefusedByTheCompilerAbove48KiB) {
  const auto module = device().compile({"test.cu", too_large}, {});
  const auto error = thrown<CompileError>([&] { find<int*>(*module, "too_large"); });
  EXPECT_TRUE(contains(error.what(), "too_large"));
  EXPECT_TRUE(contains(error.what(), "49156 bytes of static shared memory, and a block has at most 49152"));
}

TEST_P(SharedMemoryOfTheSimulator, HoldsUpTo64KiBWhereSomeOfItIsDynamic) {
  const std::string kernel =
      "__global__ void reverse_words(const int* in, int* out) {\n  __shared__ int before[4];\n"
      "  extern __shared__ int words[];\n  const int size = 16 * 1024 - 4;\n  before[0] = 1;\n"
      "  for (int i = threadIdx.x; i < size; i += blockDim.x) words[i] = in[i];\n  __syncthreads();\n"
      "  for (int i = threadIdx.x; i < size; i += blockDim.x) out[i] = before[0] * words[size - 1 - i];\n}\n";
  std::vector<int> words = numbers_below(16 * 1024 - 4);
  const LaunchConfig config{.grid = {3}, .block = {64}, .dynamic_shared_bytes = 64 * 1024 - 16};
  const auto out = results<int>(kernel, "reverse_words", config, words, words.size());
  EXPECT_EQ(out, std::vector<int>(words.rbegin(), words.rend()));
}

TEST_P(SharedMemoryOfTheSimulator, HasItsLimitsInTheProperties) {
  EXPECT_EQ(device().properties().shared_bytes_per_block, 48u * 1024);
  EXPECT_EQ(device().properties().shared_bytes_per_block_optin, 64u * 1024);
}

TEST_P(SharedMemoryOfTheSimulator, IsRefusedAtLaunchAbove64KiBOfBothKinds) {
  const DeviceBuffer<int> in = buffer(numbers_below(64)), out = buffer(numbers_below(64));
  for (const auto& [kernel, bytes] :
       {std::pair{"reverse_dynamic", 65537u}, {"reverse", 65537u - 256}}) {  // reverse has 256 static bytes
    const device::DeviceError error = failure(shared, kernel, {.block = {64}, .dynamic_shared_bytes = bytes},
                                              static_cast<const int*>(in.pointer()), out.pointer());
    EXPECT_EQ(error.name(), "CUDA_ERROR_INVALID_VALUE");
    EXPECT_TRUE(contains(error.explanation(), "65536 bytes of shared memory"));
  }
  EXPECT_TRUE(still_works());
}

INSTANTIATE_TEST_SUITE_P(Compilers, SharedMemoryOfTheSimulator, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator
