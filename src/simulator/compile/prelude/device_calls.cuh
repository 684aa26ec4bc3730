// Functions and variables that the simulated device provides (device_calls.cpp). Editors show the comments of these
// declarations.

// The number of threads in a warp.
constexpr int warpSize = GPULAB_WARP_SIZE;
// The ring and the loop of threads, with the layout of schedule/fibers.hpp.
struct gpulab_ring_node {
  void* context;
  gpulab_ring_node *next, *previous;
  uint3 index;
};
struct gpulab_node_ring { gpulab_ring_node* running; int barrier; unsigned missing; };
struct gpulab_turn_of_loop { unsigned number, is_over, running; };
extern "C" {
extern __thread gpulab_node_ring gpulab_ring __attribute__((tls_model("initial-exec")));
extern __thread gpulab_turn_of_loop gpulab_loop_turn __attribute__((tls_model("initial-exec")));
extern __thread uint3 gpulab_thread_index __asm__("threadIdx") __attribute__((tls_model("initial-exec")));
#ifdef GPULAB_LOOPS
// In a loop over threads, the index changes during the function, so it must not be const.
#define threadIdx ((const uint3&)gpulab_thread_index)
#else
// The index of this thread in its block, from 0.
extern const __thread uint3 threadIdx __attribute__((tls_model("initial-exec")));
#endif
// The index of this thread's block in the grid, from 0.
extern const __thread uint3 blockIdx __attribute__((tls_model("initial-exec")));
// The number of threads in a block, in x, y and z.
extern const __thread uint3 blockDim __attribute__((tls_model("initial-exec")));
// The number of blocks in the grid, in x, y and z.
extern const __thread uint3 gridDim __attribute__((tls_model("initial-exec")));
// The shared memory of the block that this worker runs.
extern const __thread gpulab_address gpulab_shared_begin __attribute__((tls_model("initial-exec")));
extern const __thread gpulab_address gpulab_shared_bytes __attribute__((tls_model("initial-exec")));
// Waits for all threads of the block; returns the number of threads whose predicate is not zero.
int gpulab_barrier(int predicate, int position);
// Waits for all threads of the grid, which must have been launched as a cooperative one.
void gpulab_grid_barrier(int line);
int gpulab_is_cooperative();
// Waits for the lanes in the mask, then returns the source lane's value.
unsigned long long gpulab_shuffle(unsigned long long mask, unsigned long long mine, unsigned source, int line);
// These functions wait in the same way. They return the lanes whose predicate is not 0, the lanes whose value has the
// bits of `mine`, and a reduction of all lanes' values (device_calls.cpp has the numbers of the operations).
unsigned long long gpulab_ballot(unsigned long long mask, int predicate, int line);
unsigned long long gpulab_match(unsigned long long mask, unsigned long long mine, int line);
unsigned gpulab_reduce(unsigned long long mask, unsigned mine, int operation, int line);
// Waits until no other lane can go on without an answer; returns the lanes that wait in that line.
unsigned long long gpulab_active_mask(int line);
// Called before an atomic in hooked kernels, with its return address, its traits (GPULAB_OVERWRITES and others) and the
// value that a compare-and-swap expects, or that an addition adds.
void gpulab_before_atomic(void* address, size_t bytes, void* code, unsigned traits, unsigned long long operand);
// Called after an atomic that left its word unchanged: a thread that polls lets others run.
void gpulab_idle_atomic(const void* address, size_t bytes, unsigned long long operand, void* code);
void gpulab_sleep();
// A fence in hooked kernels, which the checker records.
void gpulab_fence(int has_block_scope);
long long gpulab_clock();
[[noreturn]] void gpulab_trap();
#ifndef GPULAB_PROGRAM
// Kernel output goes to stderr: stdout is for results.
int printf(const char* format, ...) __asm__("gpulab_printf");
#endif
}
extern thread_local char gpulab_dynamic_shared[];
extern "C" __attribute__((visibility("default"), used, weak)) char* gpulab_dynamic_shared_address() {
  return gpulab_dynamic_shared;
}
extern "C" __attribute__((visibility("default"), used, weak)) int gpulab_warp_size() { return warpSize; }

GPULAB_INTRINSIC long long clock64() { return gpulab_clock(); }
#ifndef GPULAB_PROGRAM
GPULAB_INTRINSIC int clock() { return int(gpulab_clock()); }
#endif
GPULAB_INTRINSIC void __nanosleep(unsigned) { gpulab_sleep(); }
GPULAB_INTRINSIC void __trap() { gpulab_trap(); }
GPULAB_INTRINSIC void __brkpt() {}  // without a debugger it does nothing
