// Barriers and fences.
#define GPULAB_LINE int line = __builtin_LINE()
// The position of a barrier: its line and column in one number, since a line may have several barriers.
// schedule/block_parts.hpp unpacks it.
#if defined(__clang__)
#define GPULAB_COLUMN __builtin_COLUMN()
#elif __cplusplus > 201703L
#include <source_location>
#define GPULAB_COLUMN std::source_location::current().column()
#else
namespace std {
struct source_location {
  struct __impl {
    const char *_M_file_name, *_M_function_name;
    unsigned _M_line, _M_column;
  };
};
}  // namespace std
#define GPULAB_COLUMN static_cast<const std::source_location::__impl*>(__builtin_source_location())->_M_column
#endif
#define GPULAB_POSITION int position = __builtin_LINE() + (int(GPULAB_COLUMN & 0x7ff) << 20)
#if defined(__x86_64__) && !defined(GPULAB_HOOKED)
// Switches to the next thread in the ring, and leaves on the stack what a suspended Fiber needs
// (schedule/fibers.hpp). There is no call and no return, so the CPU's return prediction stays right. Meanwhile it
// prefetches the stack of the thread after the next.
GPULAB_INTRINSIC void gpulab_go_on_with_next() {
  gpulab_ring_node* suspended = gpulab_ring.running;
  gpulab_ring_node* const next = suspended->next;
  void* stack = next->context;
  gpulab_ring.running = next;
  gpulab_thread_index = next->index;
  __builtin_prefetch(next->next->context);
  __builtin_prefetch((char*)next->next->context + 64);
  __builtin_prefetch((char*)next->next->context + 128);
  asm volatile(
      "pushq %%rbp\n\tleaq 1f(%%rip), %%rax\n\tpushq %%rax\n\tmovq %%rsp, (%0)\n\t"
      "movq %1, %%rsp\n\tpopq %%rax\n\tpopq %%rbp\n\tjmpq *%%rax\n1:"
      : "+D"(suspended), "+S"(stack)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
        "cc", "memory");
}
// The first thread to arrive at a barrier, and the last, call the scheduler.
GPULAB_INTRINSIC void gpulab_wait(int position) {
  if (gpulab_ring.barrier != position || gpulab_ring.missing == 1) {
    gpulab_barrier(0, position);
    return;
  }
  --gpulab_ring.missing;
  gpulab_go_on_with_next();
}
#else
GPULAB_INTRINSIC void gpulab_wait(int position) { gpulab_barrier(0, position); }
#endif
// Waits until all threads of the block are here. Then sees what they have written.
GPULAB_INTRINSIC void __syncthreads(GPULAB_POSITION) {
  gpulab_wait(position);
  asm volatile("" ::: "memory");
}
// A barrier that returns the number of threads whose predicate is not 0.
GPULAB_INTRINSIC int __syncthreads_count(int predicate, GPULAB_POSITION) { return gpulab_barrier(predicate, position); }
// A barrier that returns whether any thread's predicate is not 0.
GPULAB_INTRINSIC int __syncthreads_or(int predicate, GPULAB_POSITION) {
  return gpulab_barrier(predicate, position) > 0;
}
// A barrier that returns whether all threads' predicates are not 0.
GPULAB_INTRINSIC int __syncthreads_and(int predicate, GPULAB_POSITION) {
  return gpulab_barrier(!predicate, position) == 0;
}
// Waits until all lanes in the mask are here. Then sees what they have written.
GPULAB_INTRINSIC void __syncwarp(gpulab_lane_mask mask = ~gpulab_lane_mask(0), GPULAB_LINE) {
  gpulab_shuffle(mask, 0, ~0u, line);  // reads from no lane
  asm volatile("" ::: "memory");
}
#ifdef GPULAB_HOOKED
GPULAB_INTRINSIC void __threadfence() { gpulab_fence(0); }
GPULAB_INTRINSIC void __threadfence_block() { gpulab_fence(1); }
#else
GPULAB_INTRINSIC void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPULAB_INTRINSIC void __threadfence_block() { __threadfence(); }
#endif
GPULAB_INTRINSIC void __threadfence_system() { __threadfence(); }

// Warp shuffles: the value of another lane of the warp.
GPULAB_INTRINSIC unsigned gpulab_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize;
}
// Converts a value of at most 8 bytes to bits, and back. These functions access local variables only, so they are not
// hooked.
template <class T>
GPULAB_LOCAL unsigned long long gpulab_bits(T value) {
  static_assert(sizeof(T) <= 8, "a warp operation moves at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
GPULAB_LOCAL T gpulab_of_bits(unsigned long long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T>
GPULAB_INTRINSIC T gpulab_from_lane(gpulab_lane_mask mask, T mine, unsigned source, int line) {
  return gpulab_of_bits<T>(gpulab_shuffle(mask, gpulab_bits(mine), source, line));
}
// Returns the value of the lane `source`.
template <class T>
GPULAB_INTRINSIC T __shfl_sync(gpulab_lane_mask mask, T value, int source, int width = warpSize, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), segment = lane & ~(width - 1u);
  return gpulab_from_lane(mask, value, segment + (source & (width - 1)), line);
}
// Returns the value of the lane `delta` below this one; this lane's own if there is none.
template <class T>
GPULAB_INTRINSIC T __shfl_up_sync(gpulab_lane_mask mask, T value, unsigned delta, int width = warpSize, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), lane_in_segment = lane & (width - 1u);
  return gpulab_from_lane(mask, value, lane_in_segment >= delta ? lane - delta : lane, line);
}
// Returns the value of the lane `delta` above this one; this lane's own if there is none.
template <class T>
GPULAB_INTRINSIC T __shfl_down_sync(gpulab_lane_mask mask, T value, unsigned delta, int width = warpSize, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), lane_in_segment = lane & (width - 1u);
  return gpulab_from_lane(mask, value, lane_in_segment + delta < unsigned(width) ? lane + delta : lane, line);
}
// Returns the value of the lane whose number is this lane's XOR `lanes`.
template <class T>
GPULAB_INTRINSIC T __shfl_xor_sync(gpulab_lane_mask mask, T value, int lanes, int width = warpSize, GPULAB_LINE) {
  // As on a GPU, a lane of an earlier segment of `width` lanes can be read, and one of a later segment cannot.
  const unsigned lane = gpulab_lane(), source = lane ^ unsigned(lanes), segment_bits = ~(width - 1u);
  const bool is_readable = (source & segment_bits) <= (lane & segment_bits);
  return gpulab_from_lane(mask, value, is_readable ? source % warpSize : lane, line);
}

// Warp votes, matches and reductions over the lanes in the mask.
//
// __ballot_sync returns a mask of the lanes whose predicate is not 0.
GPULAB_INTRINSIC gpulab_lane_mask __ballot_sync(gpulab_lane_mask mask, int predicate, GPULAB_LINE) {
  return gpulab_ballot(mask, predicate, line);
}
GPULAB_INTRINSIC int __any_sync(gpulab_lane_mask mask, int predicate, GPULAB_LINE) {
  return gpulab_ballot(mask, predicate, line) != 0;
}
GPULAB_INTRINSIC int __all_sync(gpulab_lane_mask mask, int predicate, GPULAB_LINE) {
  return gpulab_ballot(mask, !predicate, line) == 0;
}
GPULAB_INTRINSIC gpulab_lane_mask __activemask(GPULAB_LINE) { return gpulab_active_mask(line); }
template <class T>
GPULAB_INTRINSIC gpulab_lane_mask __match_any_sync(gpulab_lane_mask mask, T value, GPULAB_LINE) {
  return gpulab_match(mask, gpulab_bits(value), line);
}
template <class T>
GPULAB_INTRINSIC gpulab_lane_mask __match_all_sync(gpulab_lane_mask mask, T value, int* all_same, GPULAB_LINE) {
  *all_same = gpulab_match(mask, gpulab_bits(value), line) == mask;
  return *all_same ? mask : 0;
}
#define GPULAB_REDUCE(type, name, operation)                                             \
  GPULAB_INTRINSIC type __reduce_##name##_sync(gpulab_lane_mask mask, type value, GPULAB_LINE) { \
    return type(gpulab_reduce(mask, unsigned(value), operation, line));                  \
  }
GPULAB_REDUCE(int, add, 0)
GPULAB_REDUCE(int, min, 1)
GPULAB_REDUCE(int, max, 2)
GPULAB_REDUCE(unsigned, add, 0)
GPULAB_REDUCE(unsigned, min, 3)
GPULAB_REDUCE(unsigned, max, 4)
GPULAB_REDUCE(unsigned, and, 5)
GPULAB_REDUCE(unsigned, or, 6)
GPULAB_REDUCE(unsigned, xor, 7)
#undef GPULAB_REDUCE
#undef GPULAB_LINE
