// The prelude lets an ordinary C++ compiler understand CUDA's spelling, so that a kernel file runs on the simulated
// device unchanged. The files of this folder, joined in the order of cmake/lessons.cmake, are included by force before
// the kernel file. They include nothing: system headers would triple the compile time. A part whose first lines say
// "For: ..." is left out for kernel files that have none of these words.
//
// The threads of a block are fibers on one worker thread of the CPU, so data shared by the block is data local to the
// worker: __shared__ is thread_local.

// Whole programs (GPULAB_PROGRAM) are compiled in one piece, host and device, after the C and C++ libraries' headers.
// Anything that those define is left out here.

// Macros of NVRTC or, for programs, nvcc. The architecture is the oldest with all features of the simulated device.
#define GPULAB_SIMULATED 1
#ifndef GPULAB_HOST_FILE
#define __CUDACC__ 1
#ifdef GPULAB_PROGRAM
#define __NVCC__ 1
#else
#define __CUDACC_RTC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_ARCH__ 800
#define __CUDA_ARCH_LIST__ 800
#endif

#define __host__
#define __device__
#ifdef GPULAB_LOOPS
#define __global__ __attribute__((visibility("default"), always_inline, used))
#else
#define __global__ __attribute__((visibility("default"), noinline, used))
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
#define __maxnreg__(...)
#define __cluster_dims__(...)
#ifndef GPULAB_PROGRAM
#define __managed__ __attribute__((used))
#else
// A program's variables belong to the host, except those that the rewriting of its text marks with these macros.
#define __managed__
#define GPULAB_SECTION_OF(kind, number) "gpulab_" #kind "." GPULAB_TEXT_OF(number)
#define GPULAB_DEVICE_VARIABLE __attribute__((section(GPULAB_SECTION_OF(device, __COUNTER__)), used))
#define GPULAB_MANAGED_VARIABLE __attribute__((section(GPULAB_SECTION_OF(managed, __COUNTER__)), used))
#endif
#define __builtin_align__(bytes) __align__(bytes)
#define NULL __null
// `used` keeps the compiler from assuming that the variable stays zero unless the file writes it: the simulator
// poisons it.
#define __shared__ __attribute__((used)) thread_local
// `used` for the same reason: the host fills it. Each variable has its own section, by which the simulator finds it:
// a const variable cannot share a section with others.
#define GPULAB_TEXT_OF(number) #number
#define GPULAB_CONSTANT_SECTION(number) "gpulab_constant." GPULAB_TEXT_OF(number)
#define __constant__ \
  __attribute__((section(GPULAB_CONSTANT_SECTION(__COUNTER__)), visibility("default"), used))

// An operation of the device itself. Debuggers and error messages treat it as a part of the language.
#define GPULAB_INTRINSIC static inline __attribute__((always_inline, artificial, unused))
// An operation that other threads must not see half done: no memory access inside it is hooked. A lambda inside it is
// a function of its own and needs the attribute, too.
#ifdef GPULAB_HOOKED
#define GPULAB_UNHOOKED __attribute__((no_sanitize("thread")))
#define GPULAB_ATOMIC static GPULAB_UNHOOKED __attribute__((noinline, unused))
// An operation that accesses its own variables only.
#define GPULAB_LOCAL GPULAB_ATOMIC
// An atomic reports itself, as an access of the line that calls it.
#define GPULAB_REPORT_ATOMIC(address, traits, operand) \
  gpulab_before_atomic((void*)(address), sizeof(*(address)), __builtin_return_address(0), traits, operand)
#else
#define GPULAB_UNHOOKED
#define GPULAB_ATOMIC GPULAB_INTRINSIC
#define GPULAB_LOCAL GPULAB_INTRINSIC
#define GPULAB_REPORT_ATOMIC(address, traits, operand) (void)0
#endif

typedef decltype(sizeof(0)) size_t;
typedef long ptrdiff_t;
typedef long clock_t;
typedef size_t gpulab_address;

// A mask of the lanes of a warp.
#ifndef GPULAB_WARP_SIZE
#define GPULAB_WARP_SIZE 32
#endif
#if GPULAB_WARP_SIZE == 64
typedef unsigned long long gpulab_lane_mask;
#else
typedef unsigned gpulab_lane_mask;
#endif

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
