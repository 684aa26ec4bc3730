#ifdef GPULAB_LOOPS
// Runs the threads of a block one after another, with the kernel inlined: gpulab_loop<&kernel>::gpulab_run, for the
// text appended to the kernel file (loops_for in compiler.cpp). The index is stored to memory before each thread and
// read again by it, so that its accesses stay its own and a fault names its thread.
template <int...>
struct gpulab_places {};
template <int count, int... i>
struct gpulab_first_places : gpulab_first_places<count - 1, count - 1, i...> {};
template <int... i>
struct gpulab_first_places<0, i...> { typedef gpulab_places<i...> type; };

template <auto>
struct gpulab_loop;
template <class... P, void (*kernel)(P...)>
struct gpulab_loop<kernel> {
  static void gpulab_run(void* const* arguments) {
    run(arguments, typename gpulab_first_places<sizeof...(P)>::type());
  }
  template <int... i>
  GPULAB_INTRINSIC void run(void* const* arguments, gpulab_places<i...>) {
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
          // The thread has waited, and the scheduler has run the others.
          if (gpulab_loop_turn.is_over) return;
        }
  }
};

// Returns the loop of the kernel at that address; null if it has none. The kernel file's macros are still defined
// here.
extern "C" __attribute__((visibility("default"))) void* gpulab_loop_of(void* gpulab_kernel);
#define GPULAB_LOOP_OF(name) if (gpulab_kernel == (void*)&name) return (void*)&gpulab_loop<&name>::gpulab_run;
#endif
