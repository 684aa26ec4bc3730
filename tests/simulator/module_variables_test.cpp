#include "simulator/simulator_fixture.hpp"
#include "source_files.hpp"

namespace gpulab::simulator {
namespace {

// Nothing in the file writes to most of these, so an optimiser that may would take them for zeros.
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

  // What the kernel writes to out[0].
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

TEST_P(VariablesOfASimulatedModule, AreReadAgainByEveryLaunchAlsoAtFixedPlaces) {
  const auto module = load(variables);
  std::vector<float> factors(64, 7);
  fill(*module, "factors", factors);
  fill(*module, "hidden", std::vector<float>{1, 0, 0, 0});
  EXPECT_EQ(first_of(*module, "first_factors"), 108);
  factors[0] = 9;
  fill(*module, "factors", factors);
  EXPECT_EQ(first_of(*module, "first_factors"), 110);
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
  try {
    load(with_constant_floats(16384));
    FAIL() << "the file was taken";
  } catch (const CompileError& error) {
    EXPECT_STREQ(error.what(), "test.cu has 65540 bytes of constant memory, a module has at most 65536");
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, VariablesOfASimulatedModule, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator
