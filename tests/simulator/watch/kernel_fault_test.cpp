#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string faults = source_text("tests/simulator/watch/kernel_fault.cu");

class KernelFault : public SimulatorTest {
 protected:
  void expect_at(const device::DeviceError& error, const std::string& line, const std::string& thread) {
    EXPECT_TRUE(contains(error.explanation(), thread));
    EXPECT_TRUE(contains(error.explanation(), "test.cu:" + line));
    EXPECT_TRUE(still_works());
  }
};

TEST_P(KernelFault, StopsAWildPointer) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  const device::DeviceError error =
      failure(faults, "write_anywhere", {.grid = {2}, .block = {40}}, out.pointer());
  EXPECT_EQ(error.name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_TRUE(contains(error.explanation(), "a null pointer, at "));
  expect_at(error, "4", "block 1 thread 3");
}

TEST_P(KernelFault, SaysHowFarAnIndexIsOutOfBounds) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  const std::string kernel = "__global__ void far_off(int* out) { out[1000000 + threadIdx.x] = 1; }\n";
  const device::DeviceError error = failure(kernel, "far_off", {.block = {1}}, out.pointer());
  EXPECT_EQ(error.name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_TRUE(contains(error.explanation(),
                       "out of bounds, 4000000 bytes past the start of argument 1, at test.cu:1"));
}

TEST_P(KernelFault, StopsAnIndexOutsideASharedArray) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  const std::string kernel =
      "__global__ void overrun(int* out) {\n  __shared__ int tile[32];\n  tile[threadIdx.x] = 1;\n"
      "  __syncthreads();\n  out[threadIdx.x] = tile[0];\n}\n";
  const device::DeviceError error = failure(kernel, "overrun", {.block = {64}}, out.pointer());
  EXPECT_TRUE(contains(error.explanation(), "an index outside its array"));
  EXPECT_TRUE(contains(error.explanation(), "block 0 thread 32"));
  // Clang has one trap for all checks of a kernel, which belongs to no line.
  if (GetParam() == "g++") {
    EXPECT_TRUE(contains(error.explanation(), "test.cu:3"));
  }
}

TEST_P(KernelFault, StopsANullPointer) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  const int* const null = nullptr;
  const device::DeviceError error = failure(faults, "read_null", {.block = {1}}, null, out.pointer());
  EXPECT_EQ(error.name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  expect_at(error, "9", "block 0 thread 0");
}

#if defined(__x86_64__)  // elsewhere the quotient is 0, as it is undefined on a GPU
TEST_P(KernelFault, StopsADivisionByZero) {
  std::vector<int> divisors(64, 5);
  divisors[33] = 0;
  const DeviceBuffer<int> in = buffer(divisors), out = buffer(std::vector<int>(64));
  const device::DeviceError error =
      failure(faults, "divide", {.block = {64}}, static_cast<const int*>(in.pointer()), out.pointer());
  EXPECT_TRUE(contains(error.explanation(), "division by zero"));
  expect_at(error, "13", "block 0 thread 33");
}
#endif

TEST_P(KernelFault, StopsLocalVariablesThatAreTooLarge) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  const device::DeviceError error = failure(faults, "need_a_megabyte", {.block = {1}}, out.pointer());
  EXPECT_EQ(error.name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_TRUE(contains(error.explanation(), "local variables of a thread need more than the 512 KiB"));
  EXPECT_TRUE(contains(error.explanation(), "at test.cu:"));
  EXPECT_TRUE(contains(error.explanation(), "block 0 thread 0"));
  EXPECT_TRUE(still_works());
}

TEST_P(KernelFault, StopsEndlessRecursion) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  const device::DeviceError error = failure(faults, "recurse", {.block = {1}}, out.pointer());
  EXPECT_TRUE(contains(error.explanation(), "local variables of a thread need more than the 512 KiB"));
  EXPECT_TRUE(contains(error.explanation(), "test.cu:"));
  EXPECT_TRUE(still_works());
}

TEST_P(KernelFault, IsNoneWhereAWildStringIsPrinted) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  EXPECT_NO_THROW(launch(faults, "print_a_wild_string", {.block = {1}}, out.pointer()));
  EXPECT_TRUE(still_works());
}

TEST_P(KernelFault, StopsAFunctionThatIsNoexcept) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  const device::DeviceError error =
      failure(faults, "give_up_behind_noexcept", {.block = {64}}, out.pointer());
  EXPECT_TRUE(contains(error.explanation(), "__trap() was called by block 0 thread 0"));
  EXPECT_TRUE(still_works());
}

// The overflow may happen inside the simulator's part of a barrier.
TEST_P(KernelFault, StopsEndlessRecursionAroundBarriers) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  const device::DeviceError error =
      failure(faults, "recurse_around_barriers", {.block = {64}}, out.pointer());
  EXPECT_TRUE(contains(error.explanation(), "local variables of a thread need more than the 512 KiB"));
  EXPECT_TRUE(still_works());
}

TEST_P(KernelFault, CanBeSurvivedManyTimesByEveryWorker) {
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  for (int turn = 0; turn < 20; ++turn)
    EXPECT_EQ(failure(faults, "fault_in_every_thread", {.grid = {100}, .block = {64}}, out.pointer()).name(),
              "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_TRUE(still_works());
}

// A fault outside kernels must end the process, and not be handled again and again.
TEST_P(KernelFault, LeavesFaultsOfTheProgramAlone) {
  EXPECT_TRUE(still_works());  // so that handlers are installed
  EXPECT_EXIT(*reinterpret_cast<volatile int*>(0x10) = 1, testing::KilledBySignal(SIGSEGV), "");
}

INSTANTIATE_TEST_SUITE_P(Compilers, KernelFault, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
