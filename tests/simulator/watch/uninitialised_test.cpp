#include "device/device.hpp"
#include "simulator/watch/checked_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string uninitialised_kernels = source_text("tests/simulator/watch/uninitialised.cu");

class Uninitialised : public CheckedTest {
 protected:
  std::vector<Defect> run(const std::string& kernel, device::DevicePointer in, device::DevicePointer out) {
    return defects_of(uninitialised_kernels, kernel, {.block = {64}}, forward,
                      reinterpret_cast<const int*>(in), reinterpret_cast<int*>(out));
  }
};

TEST_P(Uninitialised, IsWhatNobodyHasWrittenSinceItWasAllocated) {
  const device::DeviceMemory fresh(device(), 256), out(device(), 256);
  const auto found = run("copy", fresh.address(), out.address());
  EXPECT_TRUE(has(found, DefectKind::uninitialised, line_of(uninitialised_kernels, "read")));
  EXPECT_EQ(found[0].count, 64u);
  EXPECT_EQ(error_, "");
  EXPECT_TRUE(are_none(run("fill", out.address(), fresh.address())));
  EXPECT_TRUE(are_none(run("copy", fresh.address(), out.address()))) << "a kernel has written it";
}

TEST_P(Uninitialised, IsNotWhatWasCopiedOrSetBeforeOrAfterTheFirstCheck) {
  const device::DeviceMemory early(device(), 256), late(device(), 256), out(device(), 256);
  const auto stream = device().create_stream();
  device().set(early.address(), 1, 128, *stream);
  device().copy_within(early.address() + 128, early.address(), 128, *stream);
  device().synchronize(*stream);
  EXPECT_TRUE(are_none(run("copy", early.address(), out.address())));
  device().copy_within(late.address(), early.address(), 256, *stream);
  device().synchronize(*stream);
  EXPECT_TRUE(are_none(run("copy", late.address(), out.address())));
}

TEST_P(Uninitialised, IsWhatTheHostMarksAsPoison) {
  const DeviceBuffer<int> in = buffer(std::vector<int>(64)), out = buffer(std::vector<int>(64));
  const auto stream = device().create_stream();
  device().set(out.address(), 0xFF, 256, *stream);
  instruments().mark_uninitialised(out.address(), 256, *stream);
  device().synchronize(*stream);
  EXPECT_TRUE(has(run("accumulate", in.address(), out.address()), DefectKind::uninitialised,
                  line_of(uninitialised_kernels, "add")));
  EXPECT_TRUE(are_none(run("accumulate", in.address(), out.address())))
      << "only the first addition is to poison";
}

TEST_P(Uninitialised, IsTrackedByteByByte) {
  const device::DeviceMemory in(device(), 64);
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  const auto stream = device().create_stream();
  device().set(in.address(), 1, 61, *stream);
  device().synchronize(*stream);
  const auto found = defects_of(uninitialised_kernels, "bytes", {.block = {64}}, forward,
                                reinterpret_cast<const unsigned char*>(in.address()), out.pointer());
  ASSERT_TRUE(has(found, DefectKind::uninitialised, line_of(uninitialised_kernels, "byte")));
  EXPECT_EQ(found[0].count, 3u);
}

TEST_P(Uninitialised, IsNotKnownAfterAKernelThatWasNotChecked) {
  const DeviceBuffer<int> in = buffer(std::vector<int>(64));
  const device::DeviceMemory written(device(), 256);
  instrumentation_ = device::Instrumentation::none;
  run("copy", in.address(), written.address());
  instrumentation_ = device::Instrumentation::checked;
  EXPECT_TRUE(are_none(run("copy", written.address(), in.address())));
}

TEST_P(Uninitialised, IsSharedMemoryThatTheBlockHasNotWritten) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    const auto tile =
        defects(uninitialised_kernels, "not_all_of_a_tile", {.grid = {3}, .block = {64}}, order);
    EXPECT_TRUE(has(tile, DefectKind::shared_uninitialised, line_of(uninitialised_kernels, "tile")));
    // All three blocks write the same elements, and that race may be reported first.
    const auto unwritten = std::ranges::find(tile, DefectKind::shared_uninitialised, &Defect::kind);
    EXPECT_EQ(unwritten->count, 3u * 16) << "in every block";
  }
  EXPECT_TRUE(
      has(defects(uninitialised_kernels, "counts_from_garbage", {.block = {64}, .dynamic_shared_bytes = 16}),
          DefectKind::shared_uninitialised, line_of(uninitialised_kernels, "garbage")));
}

TEST_P(Uninitialised, IsNoVariableOfTheModule) {
  EXPECT_TRUE(are_none(defects(uninitialised_kernels, "from_zero", {.block = {64}})));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Uninitialised, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
