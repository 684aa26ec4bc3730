#include "simulator/watch/checked_fixture.hpp"

// memcpy and its like, malloc and free, assert, printf.

namespace gpulab::simulator::watch {
namespace {

const std::string memory_kernels = R"(struct Pair {
  double value;
  char kind;
  int count;
};

__global__ void twelve_into_eight(const int* in, int* out) {
  __shared__ char box[8];
  if (threadIdx.x == 0) __builtin_memcpy(box, in, 12);  // of shared
  __syncthreads();
  out[threadIdx.x] = box[threadIdx.x % 8];
}

__global__ void twelve_into_eight_of_its_own(const int* in, int* out) {
  char box[8];
  memcpy(box, in + threadIdx.x, 12);  // of its own
  out[threadIdx.x] = box[3];
}

__global__ void past_the_end(const int* in, int* out) {
  if (threadIdx.x == 0) memset(out + 3998, 0, 12);  // past the end
}

__global__ void overlapping(const int* in, int* out) {
  __builtin_memcpy((char*)out + 8 * threadIdx.x, in + threadIdx.x, 12);  // overlap
}

__global__ void set_without_barrier(const int* in, int* out) {
  __shared__ int bins[64];
  if (threadIdx.x == 0) memset(bins, 0, sizeof bins);  // set
  atomicAdd(&bins[in[threadIdx.x] % 64], 1);  // count
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void half_of_it_written(const int* in, int* out) {
  __shared__ int tile[8];
  if (threadIdx.x < 4) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) memcpy(out, tile, sizeof tile);  // half
}

__global__ void copies(const int* in, int* out) {
  __shared__ Pair pairs[64];
  Pair mine;
  mine.value = in[threadIdx.x];
  mine.kind = 1;
  mine.count = threadIdx.x;
  memcpy(&pairs[threadIdx.x], &mine, sizeof mine);
  __syncthreads();
  memmove(&mine, &pairs[(threadIdx.x + 1) % 64], sizeof mine);
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine.count;
}

__global__ void takes_and_gives_back(const int* in, int* out) {
  int* const mine = (int*)malloc(16 * sizeof(int));
  if (!mine) return;
  for (int i = 0; i < 16; ++i) mine[i] = in[i];
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += mine[i];
  free(mine);
  int* const more = new int[2];
  more[1] = sum;
  out[blockIdx.x * blockDim.x + threadIdx.x] = more[1];
  delete[] more;
}

__global__ void past_its_memory(const int* in, int* out) {
  int* const mine = (int*)malloc(16 * sizeof(int));
  mine[16] = in[0];  // seventeenth
}

__global__ void after_it_was_freed(const int* in, int* out) {
  int* const mine = new int[4];
  mine[0] = in[1];
  delete[] mine;
  out[threadIdx.x] = mine[0];  // freed
}

__global__ void freed_twice(const int* in, int* out) {
  int* const mine = (int*)malloc(16);
  free(mine);
  free(mine);  // again
}

__global__ void until_there_is_none(const int* in, int* out) {
  if (threadIdx.x == 0) while (malloc(1 << 20)) ++out[0];
}

__global__ void asserts(const int* in, int* out) {
  assert(in[threadIdx.x] >= 0);
  assert(in[threadIdx.x] < 50 && "too large");  // does not hold
  out[threadIdx.x] = 1;
}

__global__ void prints(const int* in, int* out) {
  if (threadIdx.x > 1) return;
  printf("%d.%u %5.2f %s %lld%%\n", blockIdx.x, threadIdx.x, 1.5, "text", 5ll);
  printf("[%s] [%-4d] [%*d]\n", (const char*)1234, 7, 3, 9);
}
)";

class MemoryFunctions : public CheckedTest {
 protected:
  testing::AssertionResult is_found(const char* kernel, DefectKind kind, const char* word,
                                    const char* other = nullptr) {
    return has(defects(memory_kernels, kernel, {.grid = 1, .block = 64}), kind, line_of(memory_kernels, word),
               other ? line_of(memory_kernels, other) : 0);
  }
};

TEST_P(MemoryFunctions, StayWithinWhatTheyCopyTo) {
  EXPECT_TRUE(is_found("twelve_into_eight", DefectKind::out_of_bounds, "of shared"));
  EXPECT_TRUE(is_found("twelve_into_eight_of_its_own", DefectKind::out_of_bounds, "of its own"));
  EXPECT_TRUE(contains(error_, "writes 4 bytes in line")) << error_;
  EXPECT_TRUE(contains(error_, "just past the end of an array of 8 bytes"));
  EXPECT_TRUE(is_found("past_the_end", DefectKind::out_of_bounds, "past the end"));
}

TEST_P(MemoryFunctions, RaceLikeOtherAccesses) {
  EXPECT_TRUE(is_found("overlapping", DefectKind::global_race, "overlap", "overlap"));
  EXPECT_TRUE(is_found("set_without_barrier", DefectKind::shared_race, "set", "count"));
}

TEST_P(MemoryFunctions, CopyOnlyWhatWasWritten) {
  EXPECT_TRUE(is_found("half_of_it_written", DefectKind::shared_uninitialised, "half"));
}

TEST_P(MemoryFunctions, MayCopyStructuresWithTheirGaps) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    EXPECT_TRUE(are_none(defects(memory_kernels, "copies", {.grid = 4, .block = 64}, order)));
}

TEST_P(MemoryFunctions, GiveMemoryOfTheHeap) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    EXPECT_TRUE(are_none(defects(memory_kernels, "takes_and_gives_back", {.grid = 4, .block = 64}, order)));
  EXPECT_TRUE(is_found("past_its_memory", DefectKind::out_of_bounds, "seventeenth"));
  EXPECT_TRUE(is_found("after_it_was_freed", DefectKind::out_of_bounds, "freed"));
  EXPECT_TRUE(is_found("freed_twice", DefectKind::bad_free, "again"));
  const DeviceBuffer<int> out = buffer(std::vector<int>(1));
  defects_of(memory_kernels, "until_there_is_none", {.grid = 1, .block = 32}, forward,
             static_cast<const int*>(nullptr), out.pointer());
  EXPECT_EQ(error_, "");
  EXPECT_GE(out.values().front(), 1);
  EXPECT_LE(out.values().front(), 7) << "of 8 MiB";
}

TEST_P(MemoryFunctions, StopAtAnAssertionThatFails) {
  EXPECT_TRUE(is_found("asserts", DefectKind::failed_assertion, "does not hold"));
  EXPECT_TRUE(contains(error_, "CUDA_ERROR_ASSERT"));
  EXPECT_TRUE(contains(error_, "'in[threadIdx.x] < 50 && \"too large\"' is false in block 0 thread 50"))
      << error_;
  EXPECT_TRUE(still_works());
}

TEST_P(MemoryFunctions, PrintInTheOrderOfTheBlocks) {
  instruments().take_output();
  EXPECT_TRUE(are_none(defects(memory_kernels, "prints", {.grid = 2, .block = 64})));
  const std::string wild = "[] [7   ] [  9]\n";
  EXPECT_EQ(instruments().take_output(), "0.0  1.50 text 5%\n" + wild + "0.1  1.50 text 5%\n" + wild +
                                             "1.0  1.50 text 5%\n" + wild + "1.1  1.50 text 5%\n" + wild);
  EXPECT_EQ(instruments().take_output(), "") << "it was taken";
}

INSTANTIATE_TEST_SUITE_P(Compilers, MemoryFunctions, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
