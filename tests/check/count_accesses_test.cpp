#include "check/answers.hpp"

#include "simulator/simulator_fixture.hpp"

namespace gpulab::check {
namespace {

const std::string kernels = R"(__global__ void every_other(const float* A, float* C, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  C[i] = A[stride * i];
}
)";

const Input<float> A{"A"};
const Output<float> C{"C"};
const Scalar<int> stride{"stride"};

class CountAccesses : public simulator::SimulatorTest {
 protected:
  Facts counted(const CountedKernel& kernel) {
    const auto module =
        device().compile({"questions.cu", kernels}, {.instrumentation = device::Instrumentation::counted});
    Facts facts;
    count_accesses(kernel, *module, device(), facts);
    return facts;
  }
};

TEST_P(CountAccesses, AddsWhatWarpsTouchToTheFacts) {
  const Facts facts =
      counted({"every_other", {.grid = {4}, .block = {64}}, {A(512), C(256)}, {A, C, stride(2)}});
  EXPECT_EQ(facts.of(counted_sectors_per_load), 8);
  EXPECT_EQ(facts.of(counted_sectors_per_store), 4);
  EXPECT_EQ(facts.of(counted_used_part_of_loads), 0.5);
}

TEST_P(CountAccesses, RefusesAKernelThatIsNotThere) {
  EXPECT_THROW(counted({"every_third", {.grid = {1}, .block = {1}}, {C(1)}, {C}}), CompileError);
}

INSTANTIATE_TEST_SUITE_P(Compilers, CountAccesses, simulator::both_compilers, simulator::name_of_compiler);

}  // namespace
}  // namespace gpulab::check
