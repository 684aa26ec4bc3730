#include "simulator/device.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "simulator/simulator_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator {
namespace {

const std::string kernels = source_text("tests/simulator/simulator_device.cu");

class SimulatorDevice : public SimulatorTest {
 protected:
  device::DeviceError refusal_of(const LaunchConfig& config) {
    const DeviceBuffer<int> out = buffer(std::vector<int>(64));
    const device::DeviceError error = failure(kernels, "wait_a_little", config, out.pointer());
    EXPECT_EQ(error.name(), "CUDA_ERROR_INVALID_VALUE");
    EXPECT_EQ(out.values(), std::vector<int>(64)) << "nothing must run";
    return error;
  }
};

TEST_P(SimulatorDevice, GivesEveryThreadItsPlaceInGridsOfUpToThreeDimensions) {
  const LaunchConfig shapes[] = {{.grid = {7}, .block = {33}},
                                 {.grid = {3, 4}, .block = {5, 6}},
                                 {.grid = {2, 3, 4}, .block = {4, 3, 2}},
                                 {.grid = {1, 1, 9}, .block = {1, 1, 64}}};
  for (const LaunchConfig& shape : shapes) {
    std::vector<int> expected;
    const auto each = [](const Extent& extent, const auto& visit) {
      for (unsigned z = 0; z < extent.z; ++z)
        for (unsigned y = 0; y < extent.y; ++y)
          for (unsigned x = 0; x < extent.x; ++x) visit(x, y, z);
    };
    each(shape.grid, [&](int bx, int by, int bz) {
      each(shape.block, [&](int x, int y, int z) { expected.insert(expected.end(), {bx, by, bz, x, y, z}); });
    });
    const DeviceBuffer<int> out = buffer(std::vector<int>(expected.size()));
    launch(kernels, "who_am_i", shape, out.pointer());
    EXPECT_EQ(out.values(), expected);
  }
}

TEST_P(SimulatorDevice, HasConstantMemory) {
  EXPECT_EQ(results<int>(kernels, "weigh", {}, std::vector<int>{4, 3, 2, 1}, 1), std::vector<int>{1234});
}

TEST_P(SimulatorDevice, HasTheVectorTypesWithTheirAlignment) {
  EXPECT_EQ(results<float>(kernels, "vectors", {}, std::vector<float>{1.5f, 2, 3, 4}, 8),
            (std::vector<float>{4, 3, 2, 1.5f, 11.5f, 121616, 160408, 231}));
}

TEST_P(SimulatorDevice, RunsGridStrideLoops) {
  std::vector<int> in;
  for (int i = 0; i < 1000; ++i) in.push_back(i * i);
  EXPECT_EQ(results<int>(kernels, "copy_in_steps", {.grid = {3}, .block = {50}}, in, 1000), in);
}

TEST_P(SimulatorDevice, PrintsToStderr) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const auto out = results<int>(kernels, "tell", {}, std::vector<int>{5}, 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "thread 0 of tell has 2.5\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(out, std::vector<int>{1});
}

TEST_P(SimulatorDevice, TakesTheLargestBlocksOfEveryShape) {
  for (const Extent& block : {Extent{1024}, Extent{1, 1024}, Extent{16, 1, 64}, Extent{8, 8, 16}}) {
    const DeviceBuffer<int> out = buffer(std::vector<int>(1024));
    launch(kernels, "wait_a_little", {.block = block}, out.pointer());
    EXPECT_EQ(out.values()[0] % 32, 0);
    EXPECT_GT(out.values()[0], 0);
  }
}

TEST_P(SimulatorDevice, RefusesLaunchesBeyondTheLimitsOfAGpu) {
  EXPECT_TRUE(contains(refusal_of({.block = {1025}}).explanation(), "at most 1024 threads, not 1025"));
  EXPECT_TRUE(contains(refusal_of({.block = {32, 33}}).explanation(), "not (32, 33)"));
  EXPECT_TRUE(contains(refusal_of({.block = {1, 1, 65}}).explanation(), "(1024, 1024, 64)"));
  EXPECT_TRUE(contains(refusal_of({.block = {0}}).explanation(), "at least one thread"));
  EXPECT_TRUE(contains(refusal_of({.block = {65536, 65536, 65536}}).explanation(), "at most 1024 threads"));
  EXPECT_TRUE(contains(refusal_of({.grid = {0}}).explanation(), "at least one block"));
  EXPECT_TRUE(contains(refusal_of({.grid = {2147483648u}}).explanation(), "(2147483647, 65535, 65535)"));
  EXPECT_TRUE(contains(refusal_of({.grid = {1, 65536}}).explanation(), "not (1, 65536)"));
  EXPECT_TRUE(contains(refusal_of({.grid = {1, 1, 65536}}).explanation(), "not (1, 1, 65536)"));
  EXPECT_TRUE(contains(refusal_of({.dynamic_shared_bytes = 65537}).explanation(), "65537 dynamic"));
  EXPECT_TRUE(still_works());
}

TEST_P(SimulatorDevice, RefusesMoreBlocksThatWaitForEachOtherThanItHolds) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(1));
  launch(kernels, "wait_a_little", {.cooperative = true}, out.pointer());
  const device::DeviceError error =
      failure(kernels, "wait_a_little", {.grid = {1u << 20}, .cooperative = true}, out.pointer());
  EXPECT_EQ(error.name(), "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
  EXPECT_TRUE(contains(error.explanation(), "all have to run at once"));
  EXPECT_TRUE(still_works());
}

TEST_P(SimulatorDevice, SaysWhichLaunchWasRefusedAsALaunchError) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(1));
  EXPECT_THROW(launch(kernels, "wait_a_little", {.block = {1025}}, out.pointer()), device::LaunchError);
}

TEST_P(SimulatorDevice, RunsOutOfMemoryWithCudasOwnError) {
  for (const std::size_t bytes : {std::size_t{1} << 50, SIZE_MAX, SIZE_MAX / 2}) {
    try {
      device().allocate(bytes);
      FAIL() << bytes << " bytes were given";
    } catch (const device::DeviceError& error) {
      EXPECT_EQ(error.name(), "CUDA_ERROR_OUT_OF_MEMORY");
    }
  }
  EXPECT_TRUE(still_works());
}

TEST_P(SimulatorDevice, AlignsAllocationsAsAGpuDoes) {
  const DeviceBuffer<int> one = buffer(std::vector<int>{1}), other = buffer(std::vector<int>{2});
  EXPECT_EQ(one.address() % 256, 0u);
  EXPECT_EQ(other.address() % 256, 0u);
  EXPECT_NE(one.address(), other.address());
}

TEST_P(SimulatorDevice, CopiesWithinItsMemoryInTheOrderOfTheStream) {
  const DeviceBuffer<int> from = buffer(std::vector<int>{1, 2, 3, 4}), to = buffer(std::vector<int>(4, 9));
  const auto stream = device().create_stream();
  device().set(from.address() + 4, 0xFF, 4, *stream);
  device().copy_within(to.address(), from.address(), 3 * sizeof(int), *stream);
  device().set(from.address(), 0, 16, *stream);
  device().synchronize(*stream);
  EXPECT_EQ(to.values(), (std::vector<int>{1, -1, 3, 9}));
}

TEST_P(SimulatorDevice, NamesItsCompiler) {
  EXPECT_TRUE(contains(device().properties().compiler_version, GetParam()));
  EXPECT_EQ(device().properties().kind, "simulator");
  EXPECT_EQ(device().properties().architecture(), "");
}

TEST(SimulatorDeviceWithoutCompiler, SaysWhatToInstall) {
  device::CompileCache cache;
  ::setenv("GPULAB_CXX", "no-such-compiler", 1);
  try {
    open_simulator(cache);
    ADD_FAILURE() << "opened";
  } catch (const device::DeviceError& error) {
    EXPECT_TRUE(contains(error.explanation(), "GPULAB_CXX"));
    EXPECT_EQ(error.code(), ExitCode::device);
  }
  ::unsetenv("GPULAB_CXX");
}

INSTANTIATE_TEST_SUITE_P(Compilers, SimulatorDevice, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator
