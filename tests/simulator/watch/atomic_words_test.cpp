#include "simulator/watch/checked_fixture.hpp"

// What orders accesses to a word that threads share: compare-and-swap loops, scopes, fences, memory orders.

namespace gpulab::simulator::watch {
namespace {

const std::string atomic_word_kernels = R"(__global__ void add_to_double(const int* in, int* out) {
  unsigned long long* const word = (unsigned long long*)out;
  unsigned long long seen = *word, assumed;
  do {
    assumed = seen;
    const double sum = __longlong_as_double((long long)assumed) + in[threadIdx.x];
    seen = atomicCAS(word, assumed, (unsigned long long)__double_as_longlong(sum));
  } while (assumed != seen);
}

__global__ void largest(const int* in, int* out) {
  int seen = out[0];
  while (seen < in[threadIdx.x]) {
    const int before = atomicCAS(&out[0], seen, in[threadIdx.x]);
    if (before == seen) break;
    seen = before;
  }
}

__global__ void largest_shared(const int* in, int* out) {
  __shared__ int best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  int seen = best;
  while (seen < in[threadIdx.x]) {
    const int before = atomicCAS(&best, seen, in[threadIdx.x]);
    if (before == seen) break;
    seen = before;
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(&out[0], best);
}

__global__ void looks_before_it_tries(const int* in, int* out) {
  if (out[1] == 0 && atomicCAS(&out[1], 0, in[1]) == 0) out[0] = 1;
}

__global__ void counter_read_plainly(const int* in, int* out) {
  atomicAdd(&out[0], in[1]);  // count
  out[100 + blockIdx.x * blockDim.x + threadIdx.x] = out[0];  // look
}

__global__ void swapped_then_read_plainly(const int* in, int* out) {
  atomicCAS(&out[0], (int)threadIdx.x, in[1]);  // swap
  out[100 + blockIdx.x * blockDim.x + threadIdx.x] = out[0];  // look after
}

__global__ void of_a_block_between_blocks(const int* in, int* out) {
  atomicAdd_block(&out[0], in[1]);  // of a block
}

__global__ void of_a_block_in_each(const int* in, int* out) {
  atomicAdd_block(&out[blockIdx.x], in[1]);
  atomicMax_system(&out[50], in[1]);
}

__global__ void fence_of_a_block_between_blocks(const int* in, int* out) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&out[1], 0, 1) != 0) {}
  __threadfence_block();
  out[0] += in[1];  // protected
  __threadfence_block();
  atomicExch(&out[1], 0);
}

__global__ void initialised_by_atomics(const int* in, int* out) {
  __shared__ int a, b, c;
  __shared__ float d;
  if (threadIdx.x == 0) {
    atomicExch(&a, 0);
    atomicAnd(&b, 0);
    atomicOr(&c, -1);
    atomicExch(&d, 1.0f);
  }
  __syncthreads();
  atomicAdd(&out[0], a + b + c + (int)d);
}

__global__ void added_to_nothing(const int* in, int* out) {
  __shared__ int sum;
  atomicAdd(&sum, in[1]);  // to nothing
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&out[0], sum);
}
)";

class AtomicWords : public CheckedTest {
 protected:
  static constexpr LaunchConfig four_blocks{.grid = 4, .block = 64};
  std::vector<Defect> in_order(const char* kernel, const device::ThreadOrder& order) {
    return defects(atomic_word_kernels, kernel, four_blocks, order);
  }
  static int line(const std::string& word) { return line_of(atomic_word_kernels, word); }
};

TEST_P(AtomicWords, MayBeReadPlainlyBeforeTheyAreComparedAndSwapped) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted})
    for (const char* kernel : {"add_to_double", "largest", "largest_shared", "looks_before_it_tries"})
      EXPECT_TRUE(are_none(in_order(kernel, order))) << kernel;
}

TEST_P(AtomicWords, MayNotBeReadPlainlyForTheirValue) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    EXPECT_TRUE(
        has(in_order("counter_read_plainly", order), DefectKind::global_race, line("count"), line("look")));
    EXPECT_TRUE(has(in_order("swapped_then_read_plainly", order), DefectKind::global_race, line("swap"),
                    line("look after")));
  }
}

TEST_P(AtomicWords, OfABlockAreNoneForOtherBlocks) {
  for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
    EXPECT_TRUE(has(in_order("of_a_block_between_blocks", order), DefectKind::global_race, line("of a block"),
                    line("of a block")));
    EXPECT_TRUE(are_none(in_order("of_a_block_in_each", order)));
    EXPECT_TRUE(has(in_order("fence_of_a_block_between_blocks", order), DefectKind::global_race,
                    line("protected"), line("protected")));
  }
}

TEST_P(AtomicWords, CountAsWrittenByAtomicsForWhichTheOldValueDoesNotMatter) {
  EXPECT_TRUE(are_none(in_order("initialised_by_atomics", forward)));
  EXPECT_TRUE(
      has(in_order("added_to_nothing", forward), DefectKind::shared_uninitialised, line("to nothing")));
}

INSTANTIATE_TEST_SUITE_P(Compilers, AtomicWords, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
