#include "lesson/handles.hpp"
#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator {
namespace {

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

}  // namespace
}  // namespace gpulab::simulator
