#include "simulator/device.hpp"

#include <unistd.h>

#include "lesson/handles.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

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

TEST_P(SimulatorDevice, KeepsWhatKernelsPrint) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const auto out = results<int>(kernels, "tell", {}, std::vector<int>{5}, 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(device().instruments()->take_output(), "thread 0 of tell has 2.5\n");
  EXPECT_EQ(out, std::vector<int>{3}) << "the number of arguments, where C's printf returns that of letters";
}

TEST_P(SimulatorDevice, RunsTheLargestBlocksOfEveryShape) {
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

TEST_P(SimulatorDevice, RefusesACooperativeLaunchOfMoreBlocksThanItHolds) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(1));
  launch(kernels, "wait_a_little", {.cooperative = true}, out.pointer());
  const device::DeviceError error =
      failure(kernels, "wait_a_little", {.grid = {1u << 20}, .cooperative = true}, out.pointer());
  EXPECT_EQ(error.name(), "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
  EXPECT_TRUE(contains(error.explanation(), "all have to run at once"));
  EXPECT_TRUE(still_works());
}

TEST_P(SimulatorDevice, RefusesALaunchWithALaunchError) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(1));
  EXPECT_THROW(launch(kernels, "wait_a_little", {.block = {1025}}, out.pointer()), device::LaunchError);
}

TEST_P(SimulatorDevice, RefusesTooMuchMemoryWithCudasOwnError) {
  for (const std::size_t bytes : {std::size_t{1} << 50, SIZE_MAX, SIZE_MAX / 2}) {
    const auto error = thrown<device::DeviceError>([&] { device().allocate(bytes); });
    EXPECT_EQ(error.name(), "CUDA_ERROR_OUT_OF_MEMORY");
  }
  EXPECT_TRUE(still_works());
}

TEST_P(SimulatorDevice, AlignsAllocationsAsAGpuDoes) {
  const DeviceBuffer<int> first = buffer(std::vector<int>{1}), second = buffer(std::vector<int>{2});
  EXPECT_EQ(first.address() % 256, 0u);
  EXPECT_EQ(second.address() % 256, 0u);
  EXPECT_NE(first.address(), second.address());
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
  const auto error = thrown<device::DeviceError>([&] { open_simulator(cache); });
  EXPECT_TRUE(contains(error.explanation(), "GPULAB_CXX"));
  EXPECT_EQ(error.code(), ExitCode::device);
  ::unsetenv("GPULAB_CXX");
}

INSTANTIATE_TEST_SUITE_P(Compilers, SimulatorDevice, both_compilers, name_of_compiler);

const std::string wide_kernels = R"(__global__ void four_ints(int4 v, int* out) {
  out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w;
}
)";

class WideArguments : public SimulatorTest {};

TEST_P(WideArguments, ArriveWholeAndLeaveTheirNeighboursAlone) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(4));
  launch(wide_kernels, "four_ints", {.grid = 1, .block = 1}, Vector<int, 4>{{1, 2, 3, 4}}, out.pointer());
  EXPECT_EQ(out.values(), (std::vector{1, 2, 3, 4}));
}

INSTANTIATE_TEST_SUITE_P(Compilers, WideArguments, both_compilers, name_of_compiler);

// Nothing in the file writes to most of these variables. An optimiser could replace them by zeros.
const std::string variables = source_text("tests/simulator/module_variables.cu");

std::string with_constant_floats(int count) {
  return "__constant__ float one;\n__constant__ float many[" + std::to_string(count) +
         "];\n__global__ void pick(float* out) { out[0] = one + many[threadIdx.x]; }\n";
}

class VariablesOfASimulatedModule : public SimulatorTest {
 protected:
  std::unique_ptr<device::Module> load(
      const std::string& text, device::Instrumentation instrumentation = device::Instrumentation::none) {
    return device().compile({"test.cu", text}, {.instrumentation = instrumentation});
  }

  template <class T>
  void fill(device::Module& module, const std::string& name, const std::vector<T>& values) {
    const device::DeviceSymbol variable = module.symbol(name);
    ASSERT_EQ(variable.bytes, values.size() * sizeof(T));
    const auto stream = device().create_stream();
    device().copy_to_device(variable.address, std::as_bytes(std::span(values)), *stream);
    device().synchronize(*stream);
  }

  // Returns what the kernel writes to out[0]; in[0] is 100.
  float first_of(device::Module& module, const std::string& kernel) {
    const DeviceBuffer<float> in = buffer(std::vector<float>{100}), out = buffer(std::vector<float>{-1});
    launch(module, kernel, {}, static_cast<const float*>(in.pointer()), out.pointer());
    return out.values()[0];
  }

  std::string refusal_of(const std::string& text, const std::string& name) {
    try {
      load(text)->symbol(name);
    } catch (const device::DeviceError& error) {
      EXPECT_EQ(error.name(), "CUDA_ERROR_NOT_FOUND");
      EXPECT_FALSE(error.leaves_device_unusable());
      return error.explanation();
    }
    return "not refused";
  }
};

TEST_P(VariablesOfASimulatedModule, ReachEveryBlockWhateverTheHostLastCopied) {
  for (const device::Instrumentation instrumentation :
       {device::Instrumentation::none, device::Instrumentation::interrupted}) {
    const auto module = load(variables, instrumentation);
    const std::size_t blocks = 2000, threads = 32;
    const DeviceBuffer<float> in = buffer(std::vector<float>(blocks * threads, 2));
    const DeviceBuffer<float> out = buffer(std::vector<float>(blocks * threads));
    for (const float scale : {1.0f, 10.0f}) {
      std::vector<float> factors, expected;
      for (std::size_t i = 0; i < 64; ++i) factors.push_back(scale * static_cast<float>(i));
      for (std::size_t i = 0; i < blocks * threads; ++i) expected.push_back(2 * factors[i / threads % 64]);
      fill(*module, "factors", factors);
      launch(*module, "multiply", {.grid = {2000}, .block = {32}}, static_cast<const float*>(in.pointer()),
             out.pointer());
      EXPECT_EQ(out.values(), expected);
    }
  }
}

TEST_P(VariablesOfASimulatedModule, AreReadAgainByEveryLaunchAlsoAtConstantIndices) {
  const auto module = load(variables);
  std::vector<float> factors(64, 7);
  fill(*module, "factors", factors);
  fill(*module, "hidden", std::vector<float>{1, 0, 0, 0});
  EXPECT_EQ(first_of(*module, "first_factors"), 100 + 7 + 1);
  factors[0] = 9;
  fill(*module, "factors", factors);
  EXPECT_EQ(first_of(*module, "first_factors"), 100 + 9 + 1);
}

TEST_P(VariablesOfASimulatedModule, CanBeStaticOrInANamespaceBesideOneThatIsConst) {
  for (const device::Instrumentation instrumentation :
       {device::Instrumentation::none, device::Instrumentation::interrupted}) {
    const auto module = load(variables, instrumentation);
    fill(*module, "hidden", std::vector<float>{0, 0, 0, 0.5f});
    fill(*module, "inner::offset", std::vector<int>{10});
    fill(*module, "nameless", std::vector<int>{0, 1000});
    EXPECT_EQ(first_of(*module, "add_all"), 0.5f + 2 + 10 + 1000 + 100);
  }
}

TEST_P(VariablesOfASimulatedModule, CanBeReadBackByTheHost) {
  const auto module = load(variables);
  const DeviceBuffer<int> in = buffer(std::vector<int>{1}), out = buffer(std::vector<int>(96));
  launch(*module, "count", {.block = {96}}, static_cast<const int*>(in.pointer()), out.pointer());
  const device::DeviceSymbol counter = module->symbol("counter");
  ASSERT_EQ(counter.bytes, sizeof(int));
  std::vector<int> value(1);
  const auto stream = device().create_stream();
  device().copy_to_host(std::as_writable_bytes(std::span(value)), counter.address, *stream);
  device().synchronize(*stream);
  EXPECT_EQ(value[0], 5 + 96);
}

TEST_P(VariablesOfASimulatedModule, AreSuggestedWhenTheNameIsMisspelt) {
  EXPECT_EQ(refusal_of(variables, "factor"),
            "test.cu has no variable 'factor' for the host to copy to; did you mean 'factors'?");
}

TEST_P(VariablesOfASimulatedModule, AreListedWhenNoneHasANameLikeIt) {
  const std::string refusal = refusal_of(variables, "something_else");
  for (const char* name : {"factors", "hidden", "inner::offset", "nameless", "counter"})
    EXPECT_TRUE(contains(refusal, name));
  EXPECT_FALSE(contains(refusal, "gpulab"));
  EXPECT_EQ(refusal_of("__global__ void f(int* out) { __shared__ int s[4]; out[0] = s[0]; }\n", "s"),
            "test.cu has no variable 's' for the host to copy to; it has none: __constant__ or __device__ "
            "before a variable makes it one");
}

TEST_P(VariablesOfASimulatedModule, CannotBeFilledWhenTheyAreConst) {
  EXPECT_EQ(refusal_of(variables, "thirds"),
            "test.cu: thirds cannot be copied to: it is const, or static and never written");
}

TEST_P(VariablesOfASimulatedModule, HaveUpTo64KiBOfConstantMemory) {
  const auto module = load(with_constant_floats(16383));
  EXPECT_EQ(find<float*>(*module, "pick")->attributes().constant_bytes, 65536u);
  std::vector<float> many(16383, 1);
  many[0] = 3;
  fill(*module, "many", many);
  fill(*module, "one", std::vector<float>{4});
  const DeviceBuffer<float> out = buffer(std::vector<float>{-1});
  launch(*module, "pick", {}, out.pointer());
  EXPECT_EQ(out.values()[0], 7);
}

TEST_P(VariablesOfASimulatedModule, AreRefusedAbove64KiBOfConstantMemory) {
  const auto error = thrown<CompileError>([&] { load(with_constant_floats(16384)); });
  EXPECT_STREQ(error.what(), "test.cu has 65540 bytes of constant memory, a module has at most 65536");
}

INSTANTIATE_TEST_SUITE_P(Compilers, VariablesOfASimulatedModule, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator
