#include "simulator/watch/checked_fixture.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string bounds_kernels = R"(__global__ void read_past_the_end(const int* in, int* out) {
  out[threadIdx.x] = in[4000 + threadIdx.x - 60];  // past
}

struct Number {
  int value;
};
__device__ int sum(Number a, Number b) { return a.value + b.value; }
__global__ void pass_structures_past_the_end(const int* in, int* out) {
  const Number* numbers = reinterpret_cast<const Number*>(in);
  out[threadIdx.x] = sum(numbers[threadIdx.x], numbers[3990 + threadIdx.x]);  // argument
}

__device__ __noinline__ int first_of(int4 four, int4 other) { return four.x + other.y; }
__global__ void pass_vectors_past_the_end(const int* in, int* out) {
  const int4* fours = reinterpret_cast<const int4*>(in);
  out[threadIdx.x] = first_of(fours[threadIdx.x], fours[990 + threadIdx.x]);  // passed
}

__global__ void write_far_past_the_end(const int* in, int* out) {
  out[threadIdx.x * 4000 + 1096] = in[threadIdx.x];  // far
}

__global__ void write_before_the_start(const int* in, int* out) {
  out[int(threadIdx.x) - 1] = in[threadIdx.x];  // before
}

__global__ void static_shared(const int* in, int* out) {
  __shared__ int tile[64];
  for (int i = threadIdx.x; i < 64; i += 32) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + in[40]];  // index
}

__global__ void static_shared_by_pointer(const int* in, int* out) {
  __shared__ int tile[32];
  int* cursor = tile;
  cursor[threadIdx.x] = in[threadIdx.x];
  cursor += in[1];
  __syncwarp();
  out[threadIdx.x] = cursor[threadIdx.x];  // pointer
}

__global__ void local_array(const int* in, int* out) {
  int own[4] = {in[0], in[1], in[2], in[3]};
  out[threadIdx.x] = own[in[threadIdx.x]];  // local
}

__global__ void rows(const int* in, int* out) {
  __shared__ int tile[8][8];
  tile[threadIdx.x / 8][threadIdx.x % 8] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = tile[0][in[threadIdx.x] + 1];  // row
}

__global__ void dynamic_shared(const int* in, int* out) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = in[threadIdx.x];  // scratch
  __syncthreads();
  out[threadIdx.x] = scratch[threadIdx.x];  // scratch again
}

__global__ void misaligned(const int* in, int* out) {
  const int4 four = reinterpret_cast<const int4*>(in + 1)[threadIdx.x];  // vector
  out[threadIdx.x] = four.x + four.w;
}

__global__ void misaligned_number(const int* in, int* out) {
  out[threadIdx.x] = int(reinterpret_cast<const long long*>(in + 1)[threadIdx.x]);  // number
}

__constant__ int factors[4];
__global__ void writes_constant(const int* in, int* out) {
  factors[threadIdx.x % 4] = in[threadIdx.x];  // constant
  out[threadIdx.x] = factors[0];
}

__global__ void follows_null(const int* in, int* out) {
  const int* nothing = in[0] == 0 ? nullptr : in;
  out[threadIdx.x] = nothing[threadIdx.x + 2];  // null
}
)";

class Bounds : public CheckedTest {
 protected:
  Defect only(const std::string& kernel, const LaunchConfig& config) {
    const auto found = defects(bounds_kernels, kernel, config);
    EXPECT_EQ(found.size(), 1u) << kernel << are_none(found).message() << error_;
    const std::string error = error_;
    EXPECT_TRUE(still_works());
    error_ = error;
    return found.empty() ? Defect{} : found[0];
  }
};

TEST_P(Bounds, AreCrossedByAReadJustPastTheEnd) {
  const Defect defect = only("read_past_the_end", {.block = {64}});
  EXPECT_EQ(error_, "") << "the launch can go on";
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "past"));
  EXPECT_EQ(defect.count, 4u);
  ASSERT_TRUE(defect.party.place);
  EXPECT_EQ(defect.party.place->thread.x, 60u);
  EXPECT_EQ(defect.party.place->warp, 1u);
  EXPECT_EQ(defect.party.place->lane, 28u);
  EXPECT_EQ(defect.address, defect.memory.begin + 16000);
  EXPECT_EQ(
      explanation_of(defect),
      "out of bounds: block 0 thread 60 (warp 1, lane 28) reads 4 bytes in line 2, just past the end of an "
      "array of 16000 bytes");
}

TEST_P(Bounds, AreCrossedByAStructureThatIsPassedByValue) {
  const Defect defect = only("pass_structures_past_the_end", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "argument"));
  EXPECT_EQ(defect.party.access, DefectAccess::load);
  EXPECT_EQ(defect.count, 22u);
}

TEST_P(Bounds, AreCrossedByAVectorThatIsPassedByValue) {
  const Defect defect = only("pass_vectors_past_the_end", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "passed"));
}

TEST_P(Bounds, AreCrossedByAWriteFarAwayWhichEndsTheLaunch) {
  const Defect defect = only("write_far_past_the_end", {.block = {64}});
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "far"));
  EXPECT_EQ(defect.party.access, DefectAccess::store);
  EXPECT_EQ(defect.party.place->thread.x, 1u);
  EXPECT_TRUE(contains(error_, "CUDA_ERROR_ILLEGAL_ADDRESS: out of bounds: block 0 thread 1"));
  EXPECT_TRUE(contains(error_, "4384 bytes past the end"));
}

TEST_P(Bounds, AreCrossedByAWriteBeforeTheStart) {
  const Defect defect = only("write_before_the_start", {.block = {64}});
  EXPECT_EQ(defect.kind, DefectKind::out_of_bounds);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "before"));
  EXPECT_TRUE(contains(explanation_of(defect), "4 bytes before the start of"));
}

TEST_P(Bounds, OfArraysInTheTextAreNamed) {
  const Defect shared = only("static_shared", {.block = {32}});
  EXPECT_EQ(shared.kind, DefectKind::array_index);
  EXPECT_EQ(shared.party.line, line_of(bounds_kernels, "index"));
  EXPECT_EQ(shared.party.place->thread.x, 31u);
  EXPECT_TRUE(contains(shared.detail, "index 71 of 'int"));
  const Defect local = only("local_array", {.block = {32}});
  EXPECT_EQ(local.kind, DefectKind::array_index);
  EXPECT_EQ(local.party.line, line_of(bounds_kernels, "local"));
  const Defect row = only("rows", {.block = {64}});
  EXPECT_EQ(row.kind, DefectKind::array_index);
  EXPECT_TRUE(contains(row.detail, "index 8 of 'int"));
}

TEST_P(Bounds, OfSharedMemoryAreCrossedByAPointer) {
  const Defect defect = only("static_shared_by_pointer", {.block = {32}});
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
  const Defect defect = only("misaligned_number", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::misaligned);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "number"));
  EXPECT_TRUE(contains(error_, "CUDA_ERROR_MISALIGNED_ADDRESS"));
  EXPECT_TRUE(contains(defect.detail, "needs a multiple of 8 bytes, 4 bytes after one"));
}

TEST_P(Bounds, AreCrossedByAMisalignedVector) {
  if (GetParam() == "clang++") GTEST_SKIP() << "Clang does not check where a whole structure is read";
  const Defect defect = only("misaligned", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::misaligned);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "vector"));
  EXPECT_TRUE(contains(error_, "CUDA_ERROR_MISALIGNED_ADDRESS"));
  EXPECT_TRUE(contains(defect.detail, "int4"));
}

TEST_P(Bounds, ExcludeWritesToConstantMemory) {
  const Defect defect = only("writes_constant", {.block = {32}});
  EXPECT_EQ(defect.kind, DefectKind::constant_write);
  EXPECT_EQ(defect.party.line, line_of(bounds_kernels, "constant"));
  EXPECT_EQ(defect.memory.variable, "factors");
}

TEST_P(Bounds, ExcludeNullPointers) {
  const Defect defect = only("follows_null", {.block = {32}});
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
  EXPECT_TRUE(are_none(at(16)));
  EXPECT_TRUE(are_none(at(208)));
  EXPECT_TRUE(has(at(15), DefectKind::out_of_bounds, 2));
  EXPECT_TRUE(has(at(209), DefectKind::out_of_bounds, 2));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Bounds, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
