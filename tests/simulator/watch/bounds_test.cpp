#include "simulator/watch/checked_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string bounds_kernels = source_text("tests/simulator/watch/bounds.cu");

class Bounds : public CheckedTest {
 protected:
  Defect only_defect(const std::string& kernel, const LaunchConfig& config) {
    const auto found = defects(bounds_kernels, kernel, config);
    EXPECT_EQ(found.size(), 1u) << kernel << are_none(found).message() << error_;
    const std::string error = error_;
    EXPECT_TRUE(still_works());
    error_ = error;
    return found.empty() ? Defect{} : found[0];
  }
};

TEST_P(Bounds, AreCrossedByAReadJustPastTheEnd) {
  const Defect defect = only_defect("read_past_the_end", {.block = {64}});
  EXPECT_EQ(error_, "") << "the launch can go on";
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "past"));
  EXPECT_EQ(defect.count, 4u);
  ASSERT_TRUE(defect.party.place);
  EXPECT_EQ(defect.party.place->thread.x, 60u);
  EXPECT_EQ(defect.party.place->warp, 1u);
  EXPECT_EQ(defect.party.place->lane, 28u);
  EXPECT_EQ(defect.address, defect.memory.begin + elements * sizeof(int));
  EXPECT_EQ(explanation_of(defect),
            "out of bounds: block 0 thread 60 reads 4 bytes in line 2, just past the end of an "
            "array of 16000 bytes");
}

TEST_P(Bounds, AreCrossedByAStructureThatIsPassedByValue) {
  const Defect defect = only_defect("pass_structures_past_the_end", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "argument"));
  EXPECT_EQ(defect.party.access, DefectAccess::load);
  EXPECT_EQ(defect.count, 32u - 10) << "threads 10 to 31";
}

TEST_P(Bounds, AreCrossedByAVectorThatIsPassedByValue) {
  const Defect defect = only_defect("pass_vectors_past_the_end", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "passed"));
}

TEST_P(Bounds, AreCrossedByAWriteFarAwayWhichEndsTheLaunch) {
  const Defect defect = only_defect("write_far_past_the_end", {.block = {64}});
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "far"));
  EXPECT_EQ(defect.party.access, DefectAccess::store);
  EXPECT_EQ(defect.party.place->thread.x, 1u);
  EXPECT_TRUE(contains(error_, "CUDA_ERROR_ILLEGAL_ADDRESS: out of bounds: block 0 thread 1"));
  EXPECT_TRUE(contains(error_, "4384 bytes past the end"));
}

TEST_P(Bounds, AreCrossedByAWriteBeforeTheStart) {
  const Defect defect = only_defect("write_before_the_start", {.block = {64}});
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "before"));
  EXPECT_TRUE(contains(explanation_of(defect), "4 bytes before the start of"));
}

TEST_P(Bounds, AreNamedByTheArrayInTheText) {
  const Defect shared = only_defect("static_shared", {.block = {32}});
  EXPECT_EQ(shared.kind, DefectKind::array_index);
  EXPECT_EQ(shared.party.line, line_of(bounds_kernels, "index"));
  EXPECT_EQ(shared.party.place->thread.x, 31u);
  EXPECT_EQ(shared.index, 31 + 40);
  EXPECT_TRUE(shared.detail.starts_with("int")) << shared.detail;
  const Defect local = only_defect("local_array", {.block = {32}});
  EXPECT_EQ(local.kind, DefectKind::array_index);
  EXPECT_EQ(local.party.line, line_of(bounds_kernels, "local"));
  const Defect row = only_defect("rows", {.block = {64}});
  EXPECT_EQ(row.kind, DefectKind::array_index);
  EXPECT_EQ(row.index, 8);
}

TEST_P(Bounds, OfSharedMemoryAreCrossedByAPointer) {
  const Defect defect = only_defect("static_shared_by_pointer", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::shared_out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "pointer"));
  EXPECT_EQ(defect.party.place->thread.x, 31u);
  EXPECT_TRUE(contains(explanation_of(defect), "just past the end of 'tile' of 128 bytes"));
}

TEST_P(Bounds, OfDynamicSharedMemoryAreThoseOfTheLaunch) {
  const auto found = defects(bounds_kernels, "dynamic_shared", {.block = {64}, .dynamic_shared_bytes = 128});
  ASSERT_EQ(found.size(), 2u) << are_none(found).message();
  EXPECT_TRUE(has(found, DefectKind::shared_out_of_bounds, line_of(bounds_kernels, "scratch")));
  EXPECT_TRUE(has(found, DefectKind::shared_out_of_bounds, line_of(bounds_kernels, "scratch again")));
  EXPECT_EQ(found[0].count, 32u);
  EXPECT_TRUE(
      are_none(defects(bounds_kernels, "dynamic_shared", {.block = {64}, .dynamic_shared_bytes = 256})));
}

TEST_P(Bounds, AreCrossedByAMisalignedAddress) {
  const Defect defect = only_defect("misaligned_number", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::misaligned);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "number"));
  EXPECT_TRUE(contains(error_, "CUDA_ERROR_MISALIGNED_ADDRESS"));
  EXPECT_TRUE(contains(defect.detail, "4 bytes past a multiple of 8 (its alignment)"));
  EXPECT_FALSE(contains(defect.detail, "'"));
}

TEST_P(Bounds, AreCrossedByAMisalignedVector) {
  if (GetParam() == "clang++") GTEST_SKIP() << "Clang does not check where a whole structure is read";
  const Defect defect = only_defect("misaligned", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::misaligned);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "vector"));
  EXPECT_TRUE(contains(error_, "CUDA_ERROR_MISALIGNED_ADDRESS"));
  EXPECT_TRUE(contains(defect.detail, "int4"));
}

TEST_P(Bounds, ExcludeWritesToConstantMemory) {
  const Defect defect = only_defect("writes_constant", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::constant_write);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "constant"));
  EXPECT_EQ(defect.memory.variable, "factors");
}

TEST_P(Bounds, ExcludeNullPointers) {
  const Defect defect = only_defect("follows_null", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "null"));
  EXPECT_TRUE(contains(explanation_of(defect), "a null pointer"));
}

TEST_P(Bounds, ExcludeMemoryOfTheHost) {
  const std::vector<int> host(100000, 1);
  const DeviceBuffer<int> out = buffer(std::vector<int>(64));
  const auto found =
      defects_of(bounds_kernels, "read_past_the_end", {.block = {64}}, forward, host.data(), out.pointer());
  ASSERT_EQ(found.size(), 1u) << are_none(found).message();
  EXPECT_EQ(found[0].kind, DefectKind::host_pointer);
  EXPECT_EQ(found[0].party.line, line_of(bounds_kernels, "past"));
  EXPECT_TRUE(contains(error_, "memory of the host"));
}

TEST_P(Bounds, IncludeTheGuardsThatTheHostHasMarked) {
  const DeviceBuffer<int> in = buffer(std::vector<int>(256)), out = buffer(std::vector<int>(256));
  const auto stream = device().create_stream();
  instruments().mark_guard(in.address(), 64, *stream);
  instruments().mark_guard(in.address() + 960, 64, *stream);
  device().synchronize(*stream);
  const std::string text =
      "__global__ void shift(const int* in, int* out, int by) {\n"
      "  out[threadIdx.x] = in[threadIdx.x + by];\n"
      "}\n";
  const auto at = [&](int by) {
    return defects_of(text, "shift", {.block = {32}}, forward, static_cast<const int*>(in.pointer()),
                      out.pointer(), by);
  };
  // The guards are the first 16 and the last 16 of 256 elements, and 32 threads read.
  EXPECT_TRUE(are_none(at(16)));
  EXPECT_TRUE(are_none(at(208)));
  EXPECT_TRUE(has(at(15), DefectKind::out_of_bounds, 2));
  EXPECT_TRUE(has(at(209), DefectKind::out_of_bounds, 2));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Bounds, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
