#ifdef GPULAB_LOOPS
// Runs the threads of a block one after another, with the kernel inlined: gpulab_loop<&kernel>::gpulab_run, for the
// text appended to the kernel file (loops_for in kernel_loops.cpp). The loop stores threadIdx to memory before each
// thread, and the kernel reads it from there. So the compiler moves no access to another thread, and a fault names its
// thread.
template <int...>
struct gpulab_indices {};
template <int count, int... i>
struct gpulab_first_indices : gpulab_first_indices<count - 1, count - 1, i...> {};
template <int... i>
struct gpulab_first_indices<0, i...> { typedef gpulab_indices<i...> type; };

template <auto>
struct gpulab_loop;
// A function of a block (block_function.cpp); it returns the number of barriers.
template <class... P, unsigned (*block)(P...)>
struct gpulab_loop<block> {
  static unsigned gpulab_run(void* const* arguments) {
    return run(arguments, typename gpulab_first_indices<sizeof...(P)>::type());
  }
  template <int... i>
  GPULAB_INTRINSIC unsigned run(void* const* arguments, gpulab_indices<i...>) {
    return block(*(P*)arguments[i]...);
  }
};
template <class... P, void (*kernel)(P...)>
struct gpulab_loop<kernel> {
  static unsigned gpulab_run(void* const* arguments) {
    run(arguments, typename gpulab_first_indices<sizeof...(P)>::type());
    return 0;
  }
  template <int... i>
  GPULAB_INTRINSIC void run(void* const* arguments, gpulab_indices<i...>) {
    run_with(*(P*)arguments[i]...);
  }
  // A template, so that it is instantiated only for kernels that have a loop.
  template <class... A>
  GPULAB_INTRINSIC void run_with(A... arguments) {
    unsigned number = 0;
    for (unsigned z = 0; z < blockDim.z; ++z)
      for (unsigned y = 0; y < blockDim.y; ++y)
        for (unsigned x = 0; x < blockDim.x; ++x) {
          gpulab_thread_index = {x, y, z};
          gpulab_loop_turn.number = number++;
          asm volatile("" ::: "memory");
          kernel(arguments...);
          asm volatile("" ::: "memory");
          // The thread has had to wait, so the scheduler has taken over and run the other threads.
          if (gpulab_loop_turn.is_over) return;
        }
  }
};

// Functions of a block (block_function.cpp).
#define GPULAB_REGION __attribute__((always_inline))
// A kernel that has such a function runs itself only to name the thread of a fault, so GCC need not optimise it.
#ifdef __clang__
#define GPULAB_RARELY_RUN
#else
#define GPULAB_RARELY_RUN __attribute__((optimize("O0")))
#endif
// Runs a region for each thread: in each row from `start` to the end, then from 0 to `start`. `running` receives the
// thread's number, for messages. In a kernel without barriers it also shows the progress.
template <class Region>
GPULAB_INTRINSIC void gpulab_each_thread(const Region& region, unsigned* running = &gpulab_loop_turn.number,
                                         unsigned start = 0) {
  unsigned row = 0;
  for (unsigned z = 0; z < blockDim.z; ++z)
    for (unsigned y = 0; y < blockDim.y; ++y, row += blockDim.x)
      for (unsigned begin = start, end = blockDim.x;; end = begin, begin = 0) {
        for (unsigned x = begin; x < end; ++x) {
          *(volatile unsigned*)running = row + x;
          region(uint3{x, y, z}, row + x);
        }
        if (begin == 0) break;
      }
}
// Runs a region for each thread. The first thread differs between sixteen consecutive blocks, as in a ring
// (threads_skipped() has the same table): otherwise blocks that run in parallel would contend for the same cache lines.
template <class Region>
GPULAB_INTRINSIC void gpulab_each_thread_between_barriers(const Region& region) {
  const unsigned sixteenth = 0xf7b3d591e6a2c480 >> blockIdx.x % 16 * 4 & 15;
  gpulab_each_thread(region, &gpulab_loop_turn.running, blockDim.x * sixteenth / 16);
}
// Hides from the compiler how the address is computed, so that the address is not computed again at each use.
template <class T>
GPULAB_INTRINSIC T* gpulab_found(T* array) {
  asm("" : "+r"(array));
  return array;
}
// An array with the value of each thread for a variable that lives across a barrier.
#define GPULAB_KEEP(name)                                                                              \
  static_assert(sizeof(gpulab_type_##name) <= 4096, "a variable of a thread is too large");            \
  static __attribute__((used)) thread_local gpulab_type_##name gpulab_kept_##name[1024];               \
  gpulab_type_##name* const gpulab_of_##name = gpulab_found(gpulab_kept_##name);
template <class T, class U>
GPULAB_INTRINSIC void gpulab_copy_out(T& to, const U& from) {
  static_assert(sizeof(T) == sizeof(U), "");
  __builtin_memcpy(&to, &from, sizeof(T));
}

// Returns the loop of the kernel at that address; null if it has none. The kernel file's macros are still defined
// here.
extern "C" __attribute__((visibility("default"))) void* gpulab_loop_of(void* gpulab_kernel, int* gpulab_runs_barriers);
#define GPULAB_LOOP_OF(name) if (gpulab_kernel == (void*)&name) return (void*)&gpulab_loop<&name>::gpulab_run;
#define GPULAB_BLOCK_OF(name)                                        \
  if (gpulab_kernel == (void*)&name) {                               \
    *gpulab_runs_barriers = 1;                                       \
    return (void*)&gpulab_loop<&gpulab_block_##name>::gpulab_run;    \
  }
#endif
