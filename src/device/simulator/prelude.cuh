// Gives an ordinary C++ compiler CUDA's spelling, so that a kernel file runs on the simulated device as it is.
// It is force-included before the file. It includes nothing: system headers would triple the compile time, and
// a kernel that needs one would not compile on a GPU either.
//
// Threads of a block run one at a time on one worker thread of the CPU (they are fibers), so "shared by the
// block" is "local to the worker": __shared__ is thread_local.

#define __host__
#define __device__
#define __global__ __attribute__((visibility("default"), noinline, used))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
// Not to be taken for a variable that starts at zero and that nobody else writes: the simulator poisons it.
#define __shared__ __attribute__((used)) thread_local
#define __constant__ __attribute__((section("gpulab_constant"), visibility("default"), used))

// An operation of the device itself. Debuggers and error messages take it for a part of the language.
#define GPULAB_INTRINSIC static inline __attribute__((always_inline, artificial, unused))
// One that other threads must not see half done: no memory access inside it is hooked.
#ifdef GPULAB_HOOKED
#define GPULAB_ATOMIC static __attribute__((noinline, unused, no_sanitize("thread")))
#else
#define GPULAB_ATOMIC GPULAB_INTRINSIC
#endif

typedef decltype(sizeof(0)) size_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned long uintptr_t;

// Vector types: make_float4(x, y, z, w) and float4, aligned as CUDA aligns them.
#define GPULAB_VECTOR_TYPES(type, name, align2, align4)                                                  \
  struct name##1 { type x; };                                                                            \
  struct __attribute__((aligned(align2))) name##2 { type x, y; };                                        \
  struct name##3 { type x, y, z; };                                                                      \
  struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };                                  \
  GPULAB_INTRINSIC name##1 make_##name##1(type x) { return {x}; }                                        \
  GPULAB_INTRINSIC name##2 make_##name##2(type x, type y) { return {x, y}; }                             \
  GPULAB_INTRINSIC name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                  \
  GPULAB_INTRINSIC name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
GPULAB_VECTOR_TYPES(signed char, char, 2, 4)
GPULAB_VECTOR_TYPES(unsigned char, uchar, 2, 4)
GPULAB_VECTOR_TYPES(short, short, 4, 8)
GPULAB_VECTOR_TYPES(unsigned short, ushort, 4, 8)
GPULAB_VECTOR_TYPES(int, int, 8, 16)
GPULAB_VECTOR_TYPES(unsigned int, uint, 8, 16)
GPULAB_VECTOR_TYPES(long long, longlong, 16, 16)
GPULAB_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
GPULAB_VECTOR_TYPES(float, float, 8, 16)
GPULAB_VECTOR_TYPES(double, double, 16, 16)
#undef GPULAB_VECTOR_TYPES

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

// The simulated device, which the program provides (device_calls.cpp).
extern "C" {
extern const __thread uint3 threadIdx __attribute__((tls_model("initial-exec")));
extern const __thread uint3 blockIdx __attribute__((tls_model("initial-exec")));
extern const __thread uint3 blockDim __attribute__((tls_model("initial-exec")));
extern const __thread uint3 gridDim __attribute__((tls_model("initial-exec")));
// The shared memory of the block that this worker runs.
extern const __thread uintptr_t gpulab_shared_begin __attribute__((tls_model("initial-exec")));
extern const __thread uintptr_t gpulab_shared_bytes __attribute__((tls_model("initial-exec")));
// Waits for all threads of the block; returns how many came with a predicate that is not zero.
int gpulab_barrier(int predicate, int line);
// Waits for the lanes in the mask, then gives each the value that its source lane came with.
unsigned long long gpulab_shuffle(unsigned mask, unsigned long long mine, unsigned source, int line);
// Waits for the lanes in the mask, then gives each the values of all 32 lanes.
void gpulab_gather(unsigned mask, unsigned long long mine, unsigned long long* lanes, int line);
unsigned gpulab_active_mask();
long long gpulab_clock();
[[noreturn]] void gpulab_trap();
// Kernel output goes to stderr: stdout is for results.
int printf(const char* format, ...) __asm__("gpulab_printf");
}
extern thread_local char gpulab_dynamic_shared[];
extern "C" __attribute__((visibility("default"), used)) char* gpulab_dynamic_shared_address() {
  return gpulab_dynamic_shared;
}

constexpr int warpSize = 32;

// Barriers and fences.
#define GPULAB_LINE int line = __builtin_LINE()
GPULAB_INTRINSIC void __syncthreads(GPULAB_LINE) {
  gpulab_barrier(0, line);
  asm volatile("" ::: "memory");
}
GPULAB_INTRINSIC int __syncthreads_count(int predicate, GPULAB_LINE) { return gpulab_barrier(predicate, line); }
GPULAB_INTRINSIC int __syncthreads_or(int predicate, GPULAB_LINE) { return gpulab_barrier(predicate, line) > 0; }
GPULAB_INTRINSIC int __syncthreads_and(int predicate, GPULAB_LINE) { return gpulab_barrier(!predicate, line) == 0; }
GPULAB_INTRINSIC void __syncwarp(unsigned mask = 0xffffffffu, GPULAB_LINE) {
  gpulab_shuffle(mask, 0, 0, line);
  asm volatile("" ::: "memory");
}
GPULAB_INTRINSIC void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPULAB_INTRINSIC void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPULAB_INTRINSIC void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Warp shuffles: the value of another lane of the warp.
GPULAB_INTRINSIC unsigned gpulab_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
template <class T>
GPULAB_INTRINSIC T gpulab_from_lane(unsigned mask, T mine, unsigned source, int line) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &mine, sizeof(T));
  const unsigned long long theirs = gpulab_shuffle(mask, bits, source, line);
  T value;
  __builtin_memcpy(&value, &theirs, sizeof(T));
  return value;
}
template <class T>
GPULAB_INTRINSIC T __shfl_sync(unsigned mask, T value, int source, int width = 32, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), segment = lane & ~(width - 1u);
  return gpulab_from_lane(mask, value, segment + (source & (width - 1)), line);
}
template <class T>
GPULAB_INTRINSIC T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), place = lane & (width - 1u);
  return gpulab_from_lane(mask, value, place >= delta ? lane - delta : lane, line);
}
template <class T>
GPULAB_INTRINSIC T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), place = lane & (width - 1u);
  return gpulab_from_lane(mask, value, place + delta < unsigned(width) ? lane + delta : lane, line);
}
template <class T>
GPULAB_INTRINSIC T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), source = lane ^ unsigned(lanes);
  return gpulab_from_lane(mask, value, (source & ~(width - 1u)) <= (lane & ~(width - 1u)) ? source % 32 : lane, line);
}

// Warp votes, matches and reductions over the lanes in the mask.
template <class Combine>
GPULAB_INTRINSIC unsigned long long gpulab_over_lanes(unsigned mask, unsigned long long mine, int line,
                                                      Combine combine) {
  unsigned long long lanes[32], result = 0;
  gpulab_gather(mask, mine, lanes, line);
  bool first = true;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1)) continue;
    result = combine(result, lanes[lane], lane, first);
    first = false;
  }
  return result;
}
GPULAB_INTRINSIC unsigned __ballot_sync(unsigned mask, int predicate, GPULAB_LINE) {
  return unsigned(gpulab_over_lanes(mask, predicate != 0, line, [](auto all, auto bit, int lane, bool) {
    return all | bit << lane;
  }));
}
GPULAB_INTRINSIC int __any_sync(unsigned mask, int predicate, GPULAB_LINE) {
  return __ballot_sync(mask, predicate, line) != 0;
}
GPULAB_INTRINSIC int __all_sync(unsigned mask, int predicate, GPULAB_LINE) {
  return __ballot_sync(mask, !predicate, line) == 0;
}
GPULAB_INTRINSIC unsigned __activemask() { return gpulab_active_mask(); }
template <class T>
GPULAB_INTRINSIC unsigned __match_any_sync(unsigned mask, T value, GPULAB_LINE) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return unsigned(gpulab_over_lanes(mask, bits, line, [bits](auto same, auto theirs, int lane, bool) {
    return same | (unsigned long long)(theirs == bits) << lane;
  }));
}
template <class T>
GPULAB_INTRINSIC unsigned __match_all_sync(unsigned mask, T value, int* all_same, GPULAB_LINE) {
  const unsigned same = __match_any_sync(mask, value, line);
  *all_same = same == mask;
  return *all_same ? mask : 0;
}
#define GPULAB_REDUCE(type, name, expression)                                                            \
  GPULAB_INTRINSIC type __reduce_##name##_sync(unsigned mask, type value, GPULAB_LINE) {                 \
    return type(gpulab_over_lanes(mask, (unsigned)value, line, [](auto left, auto right, int, bool first) { \
      const type a = type(left), b = type(right);                                                        \
      return (unsigned long long)(unsigned)(first ? b : (expression));                                   \
    }));                                                                                                 \
  }
GPULAB_REDUCE(int, add, a + b)
GPULAB_REDUCE(int, min, a < b ? a : b)
GPULAB_REDUCE(int, max, a > b ? a : b)
GPULAB_REDUCE(unsigned, add, a + b)
GPULAB_REDUCE(unsigned, min, a < b ? a : b)
GPULAB_REDUCE(unsigned, max, a > b ? a : b)
GPULAB_REDUCE(unsigned, and, a& b)
GPULAB_REDUCE(unsigned, or, a | b)
GPULAB_REDUCE(unsigned, xor, a ^ b)
#undef GPULAB_REDUCE
#undef GPULAB_LINE

// Atomics. Shared memory belongs to one worker, on which a plain read-modify-write is already indivisible and
// several times faster than a locked one. Each returns the old value.
GPULAB_INTRINSIC bool gpulab_is_shared(const void* address) {
  return (uintptr_t)address - gpulab_shared_begin < gpulab_shared_bytes;
}
template <int bytes>
struct gpulab_word { typedef unsigned type; };
template <>
struct gpulab_word<8> { typedef unsigned long long type; };
template <class T, class Update>
GPULAB_ATOMIC T gpulab_atomic(T* address, Update update) {
  if (gpulab_is_shared(address)) {
    const T old = *address;
    *address = update(old);
    return old;
  }
  typedef typename gpulab_word<sizeof(T)>::type Word __attribute__((may_alias));
  Word* word = (Word*)address;
  Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    __builtin_memcpy(&old, &seen, sizeof(T));
    const T updated = update(old);
    Word wanted;
    __builtin_memcpy(&wanted, &updated, sizeof(T));
    if (__atomic_compare_exchange_n(word, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
}
template <class T>
GPULAB_ATOMIC T gpulab_atomic_add(T* address, T value) {
  if (gpulab_is_shared(address)) {
    const T old = *address;
    *address = old + value;
    return old;
  }
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
GPULAB_INTRINSIC int atomicAdd(int* a, int v) { return gpulab_atomic_add(a, v); }
GPULAB_INTRINSIC unsigned atomicAdd(unsigned* a, unsigned v) { return gpulab_atomic_add(a, v); }
GPULAB_INTRINSIC unsigned long long atomicAdd(unsigned long long* a, unsigned long long v) {
  return gpulab_atomic_add(a, v);
}
GPULAB_INTRINSIC float atomicAdd(float* a, float v) {
  return gpulab_atomic(a, [v](float old) { return old + v; });
}
GPULAB_INTRINSIC double atomicAdd(double* a, double v) {
  return gpulab_atomic(a, [v](double old) { return old + v; });
}
GPULAB_INTRINSIC int atomicSub(int* a, int v) { return gpulab_atomic_add(a, -v); }
GPULAB_INTRINSIC unsigned atomicSub(unsigned* a, unsigned v) { return gpulab_atomic_add(a, 0u - v); }
GPULAB_INTRINSIC float atomicExch(float* a, float v) {
  return gpulab_atomic(a, [v](float) { return v; });
}
#define GPULAB_ATOMIC_UPDATE(type, name, expression)                        \
  GPULAB_INTRINSIC type atomic##name(type* address, type value) {           \
    return gpulab_atomic(address, [value](type old) -> type { return expression; }); \
  }
#define GPULAB_ATOMIC_UPDATES(type)                                \
  GPULAB_ATOMIC_UPDATE(type, Exch, ((void)old, value))             \
  GPULAB_ATOMIC_UPDATE(type, Min, old < value ? old : value)       \
  GPULAB_ATOMIC_UPDATE(type, Max, old > value ? old : value)       \
  GPULAB_ATOMIC_UPDATE(type, And, old& value)                      \
  GPULAB_ATOMIC_UPDATE(type, Or, old | value)                      \
  GPULAB_ATOMIC_UPDATE(type, Xor, old ^ value)                     \
  GPULAB_INTRINSIC type atomicCAS(type* address, type compare, type value) { \
    return gpulab_atomic(address, [=](type old) -> type { return old == compare ? value : old; }); \
  }
GPULAB_ATOMIC_UPDATES(int)
GPULAB_ATOMIC_UPDATES(unsigned)
GPULAB_ATOMIC_UPDATES(unsigned long long)
GPULAB_ATOMIC_UPDATE(unsigned, Inc, old >= value ? 0 : old + 1)
GPULAB_ATOMIC_UPDATE(unsigned, Dec, old == 0 || old > value ? value : old - 1)
#undef GPULAB_ATOMIC_UPDATES
#undef GPULAB_ATOMIC_UPDATE
// The scopes of an atomic differ in cost on a GPU only.
#define atomicAdd_block atomicAdd
#define atomicAdd_system atomicAdd
#define atomicCAS_block atomicCAS
#define atomicCAS_system atomicCAS

// Loads and stores with cache hints are loads and stores.
template <class T> GPULAB_INTRINSIC T __ldg(const T* address) { return *address; }
template <class T> GPULAB_INTRINSIC T __ldca(const T* address) { return *address; }
template <class T> GPULAB_INTRINSIC T __ldcg(const T* address) { return *address; }
template <class T> GPULAB_INTRINSIC T __ldcs(const T* address) { return *address; }
template <class T> GPULAB_INTRINSIC T __ldlu(const T* address) { return *address; }
template <class T> GPULAB_INTRINSIC T __ldcv(const T* address) { return *(const volatile T*)address; }
template <class T> GPULAB_INTRINSIC void __stwb(T* address, T value) { *address = value; }
template <class T> GPULAB_INTRINSIC void __stcg(T* address, T value) { *address = value; }
template <class T> GPULAB_INTRINSIC void __stcs(T* address, T value) { *address = value; }
template <class T> GPULAB_INTRINSIC void __stwt(T* address, T value) { *address = value; }

// Integer intrinsics.
GPULAB_INTRINSIC int __popc(unsigned x) { return __builtin_popcount(x); }
GPULAB_INTRINSIC int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
GPULAB_INTRINSIC int __clz(int x) { return x ? __builtin_clz(x) : 32; }
GPULAB_INTRINSIC int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
GPULAB_INTRINSIC int __ffs(int x) { return __builtin_ffs(x); }
GPULAB_INTRINSIC int __ffsll(long long x) { return __builtin_ffsll(x); }
GPULAB_INTRINSIC unsigned long long __brevll(unsigned long long x) {
  x = __builtin_bswap64(x);
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0full) | (x & 0x0f0f0f0f0f0f0f0full) << 4;
  x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
  return (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
}
GPULAB_INTRINSIC unsigned __brev(unsigned x) { return unsigned(__brevll(x) >> 32); }
GPULAB_INTRINSIC int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
GPULAB_INTRINSIC unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
GPULAB_INTRINSIC int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
GPULAB_INTRINSIC unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
GPULAB_INTRINSIC unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= unsigned(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return result;
}
GPULAB_INTRINSIC unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
GPULAB_INTRINSIC unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)high << 32 | low) >> (shift & 31));
}

// Mathematics: the C library's functions, in double and in float, and CUDA's fast spellings of them.
#define GPULAB_MATH1(name)                                                \
  extern "C" double name(double);                                         \
  extern "C" float name##f(float);                                        \
  GPULAB_INTRINSIC float name(float x) { return __builtin_##name##f(x); }
GPULAB_MATH1(sqrt) GPULAB_MATH1(cbrt) GPULAB_MATH1(exp) GPULAB_MATH1(exp2) GPULAB_MATH1(expm1)
GPULAB_MATH1(log) GPULAB_MATH1(log2) GPULAB_MATH1(log10) GPULAB_MATH1(log1p) GPULAB_MATH1(sin)
GPULAB_MATH1(cos) GPULAB_MATH1(tan) GPULAB_MATH1(asin) GPULAB_MATH1(acos) GPULAB_MATH1(atan)
GPULAB_MATH1(sinh) GPULAB_MATH1(cosh) GPULAB_MATH1(tanh) GPULAB_MATH1(fabs) GPULAB_MATH1(floor)
GPULAB_MATH1(ceil) GPULAB_MATH1(round) GPULAB_MATH1(trunc) GPULAB_MATH1(rint) GPULAB_MATH1(erf)
GPULAB_MATH1(erfc) GPULAB_MATH1(tgamma) GPULAB_MATH1(lgamma)
#undef GPULAB_MATH1
#define GPULAB_MATH2(name)                                                \
  extern "C" double name(double, double);                                 \
  extern "C" float name##f(float, float);                                 \
  GPULAB_INTRINSIC float name(float x, float y) { return __builtin_##name##f(x, y); }
GPULAB_MATH2(pow) GPULAB_MATH2(atan2) GPULAB_MATH2(fmod) GPULAB_MATH2(hypot) GPULAB_MATH2(fmin)
GPULAB_MATH2(fmax) GPULAB_MATH2(copysign) GPULAB_MATH2(fdim)
#undef GPULAB_MATH2
extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);
GPULAB_INTRINSIC float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
GPULAB_INTRINSIC void sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
GPULAB_INTRINSIC float rsqrtf(float x) { return 1.0f / sqrtf(x); }
GPULAB_INTRINSIC double rsqrt(double x) { return 1.0 / sqrt(x); }
GPULAB_INTRINSIC float rsqrt(float x) { return rsqrtf(x); }
GPULAB_INTRINSIC float __expf(float x) { return expf(x); }
GPULAB_INTRINSIC float __exp10f(float x) { return __builtin_powf(10.0f, x); }
GPULAB_INTRINSIC float __logf(float x) { return logf(x); }
GPULAB_INTRINSIC float __log2f(float x) { return log2f(x); }
GPULAB_INTRINSIC float __sinf(float x) { return sinf(x); }
GPULAB_INTRINSIC float __cosf(float x) { return cosf(x); }
GPULAB_INTRINSIC float __tanf(float x) { return tanf(x); }
GPULAB_INTRINSIC float __powf(float x, float y) { return powf(x, y); }
GPULAB_INTRINSIC float __fdividef(float x, float y) { return x / y; }
GPULAB_INTRINSIC float __fsqrt_rn(float x) { return sqrtf(x); }
GPULAB_INTRINSIC float __frsqrt_rn(float x) { return rsqrtf(x); }
GPULAB_INTRINSIC float __frcp_rn(float x) { return 1.0f / x; }
GPULAB_INTRINSIC float __fadd_rn(float x, float y) { return x + y; }
GPULAB_INTRINSIC float __fmul_rn(float x, float y) { return x * y; }
GPULAB_INTRINSIC float __fdiv_rn(float x, float y) { return x / y; }
GPULAB_INTRINSIC float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
GPULAB_INTRINSIC float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
GPULAB_INTRINSIC bool isnan(double x) { return __builtin_isnan(x); }
GPULAB_INTRINSIC bool isinf(double x) { return __builtin_isinf(x); }
GPULAB_INTRINSIC bool isfinite(double x) { return __builtin_isfinite(x); }
GPULAB_INTRINSIC bool signbit(double x) { return __builtin_signbit(x); }
GPULAB_INTRINSIC int abs(int x) { return x < 0 ? -x : x; }
GPULAB_INTRINSIC long abs(long x) { return x < 0 ? -x : x; }
GPULAB_INTRINSIC long long abs(long long x) { return x < 0 ? -x : x; }
GPULAB_INTRINSIC float abs(float x) { return __builtin_fabsf(x); }
GPULAB_INTRINSIC double abs(double x) { return __builtin_fabs(x); }
#define GPULAB_MIN_MAX(type)                                              \
  GPULAB_INTRINSIC type min(type a, type b) { return b < a ? b : a; }     \
  GPULAB_INTRINSIC type max(type a, type b) { return a < b ? b : a; }
GPULAB_MIN_MAX(int) GPULAB_MIN_MAX(unsigned) GPULAB_MIN_MAX(long) GPULAB_MIN_MAX(unsigned long)
GPULAB_MIN_MAX(long long) GPULAB_MIN_MAX(unsigned long long)
#undef GPULAB_MIN_MAX
GPULAB_INTRINSIC float min(float a, float b) { return fminf(a, b); }
GPULAB_INTRINSIC float max(float a, float b) { return fmaxf(a, b); }
GPULAB_INTRINSIC double min(double a, double b) { return fmin(a, b); }
GPULAB_INTRINSIC double max(double a, double b) { return fmax(a, b); }
// Of two types the wider or, of the same width, the unsigned one.
#define GPULAB_MIXED_MIN_MAX(narrow, wide)                                        \
  GPULAB_INTRINSIC wide min(narrow a, wide b) { return min(wide(a), b); }         \
  GPULAB_INTRINSIC wide min(wide a, narrow b) { return min(a, wide(b)); }         \
  GPULAB_INTRINSIC wide max(narrow a, wide b) { return max(wide(a), b); }         \
  GPULAB_INTRINSIC wide max(wide a, narrow b) { return max(a, wide(b)); }
typedef unsigned long gpulab_ulong;
typedef unsigned long long gpulab_ulonglong;
GPULAB_MIXED_MIN_MAX(int, unsigned) GPULAB_MIXED_MIN_MAX(long, gpulab_ulong)
GPULAB_MIXED_MIN_MAX(long long, gpulab_ulonglong) GPULAB_MIXED_MIN_MAX(float, double)
#undef GPULAB_MIXED_MIN_MAX

// The same bits as another type.
#define GPULAB_BITS(to, name, from)                                       \
  GPULAB_INTRINSIC to name(from value) {                                  \
    to result;                                                            \
    __builtin_memcpy(&result, &value, sizeof(to));                        \
    return result;                                                        \
  }
GPULAB_BITS(int, __float_as_int, float)
GPULAB_BITS(unsigned, __float_as_uint, float)
GPULAB_BITS(float, __int_as_float, int)
GPULAB_BITS(float, __uint_as_float, unsigned)
GPULAB_BITS(long long, __double_as_longlong, double)
GPULAB_BITS(double, __longlong_as_double, long long)
#undef GPULAB_BITS
GPULAB_INTRINSIC int __float2int_rn(float x) { return int(__builtin_rintf(x)); }
GPULAB_INTRINSIC int __float2int_rz(float x) { return int(x); }
GPULAB_INTRINSIC int __float2int_rd(float x) { return int(__builtin_floorf(x)); }
GPULAB_INTRINSIC int __float2int_ru(float x) { return int(__builtin_ceilf(x)); }
GPULAB_INTRINSIC float __int2float_rn(int x) { return float(x); }

GPULAB_INTRINSIC long long clock64() { return gpulab_clock(); }
GPULAB_INTRINSIC int clock() { return int(gpulab_clock()); }
GPULAB_INTRINSIC void __nanosleep(unsigned) {}
GPULAB_INTRINSIC void __trap() { gpulab_trap(); }
#undef GPULAB_INTRINSIC
#undef GPULAB_ATOMIC
