// For: *memcpy_async include_memcpy_async_h include_cuda_pipeline_h include_cuda_pipeline_primitives_h include_pipeline include_barrier include_semaphore
// For: asm __asm __asm__
// Copies from global to shared memory that run while their thread continues. The device makes them, and watches for
// accesses to their memory before the wait (schedule/async_calls.cpp).

struct gpulab_phase_barrier { unsigned expected, missing, phase; };
extern "C" {
// Copies `bytes` bytes, of which the last `zeros` become 0. A barrier that is given ends its phase only after the copy.
void gpulab_copy_async(void* to, const void* from, size_t bytes, size_t zeros, gpulab_phase_barrier* barrier);
void gpulab_commit_copies();
void gpulab_wait_for_copies(unsigned groups_to_keep);
// Returns the phase in which the threads arrive. `leave` of them take no part in later phases.
unsigned gpulab_arrive(gpulab_phase_barrier* barrier, unsigned threads, unsigned leave, int line);
// Notes that a thread has seen the end of a phase.
void gpulab_after_wait(const gpulab_phase_barrier* barrier);
}
#define GPULAB_ASYNC __attribute__((always_inline, artificial)) inline
#define GPULAB_HERE int line = __builtin_LINE()

// Copies by all threads of a group, in the largest pieces that the addresses and the size allow.
template <class Group>
GPULAB_INTRINSIC void gpulab_copy_by_group(const Group& group, void* to, const void* from, size_t bytes,
                                           gpulab_phase_barrier* barrier) {
  const size_t bits = size_t(to) | size_t(from) | bytes | 16, piece = bits & (~bits + 1);  // the lowest bit
  for (size_t offset = group.thread_rank() * piece; offset < bytes; offset += group.size() * piece)
    gpulab_copy_async((char*)to + offset, (const char*)from + offset, piece, 0, barrier);
}

GPULAB_INTRINSIC void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  gpulab_copy_async(to, from, bytes, zeros, nullptr);
}
GPULAB_INTRINSIC void __pipeline_commit() { gpulab_commit_copies(); }
GPULAB_INTRINSIC void __pipeline_wait_prior(size_t groups) { gpulab_wait_for_copies(unsigned(groups)); }

namespace cooperative_groups {
template <class Group, class T, class Size>
GPULAB_ASYNC void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
  gpulab_copy_by_group(group, to, from, size_t(bytes), nullptr);
  gpulab_commit_copies();
}
template <class Group> GPULAB_ASYNC void wait(const Group& group, GPULAB_HERE) {
  gpulab_wait_for_copies(0);
  group.sync(line);
}
template <unsigned groups, class Group> GPULAB_ASYNC void wait_prior(const Group& group, GPULAB_HERE) {
  gpulab_wait_for_copies(groups);
  group.sync(line);
}
}  // namespace cooperative_groups
