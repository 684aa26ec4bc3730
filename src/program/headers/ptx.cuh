// For: asm __asm __asm__ __cvta* __barrier_sync*
// Functions for inline PTX, which source/ptx_instructions.cpp translates to C++. A register is a variable of its size.

// Returns the bits as a value of another type. Missing bits are 0.
template <class T, class Register> GPULAB_INTRINSIC T gpulab_as(Register bits) {
  T value{};
  __builtin_memcpy(&value, &bits, sizeof(T) < sizeof bits ? sizeof(T) : sizeof bits);
  return value;
}

// Stores a value in a register. A shorter integer is extended, by its sign if its type is signed.
template <class Register, class T> GPULAB_INTRINSIC void gpulab_set(Register& to, T value) {
  if constexpr (sizeof(T) < sizeof(Register) && T(0.5f) == T(0))
    to = Register(value);
  else
    to = gpulab_as<Register>(value);
}
// Returns a register whose value nobody reads: the operand _ of PTX.
GPULAB_INTRINSIC unsigned long long& gpulab_nowhere() {
  static thread_local unsigned long long nowhere;
  return nowhere;
}

// Minimum, maximum and absolute value. Of a NaN and a number, the result is the number; the absolute of -0.0 is 0.0.
template <class T> constexpr bool gpulab_is_floating = T(0.5f) != T(0);
template <class T> GPULAB_INTRINSIC T gpulab_smaller(T a, T b) {
  if constexpr (gpulab_is_floating<T>) return T(__builtin_fmin(a, b));
  return b < a ? b : a;
}
template <class T> GPULAB_INTRINSIC T gpulab_larger(T a, T b) {
  if constexpr (gpulab_is_floating<T>) return T(__builtin_fmax(a, b));
  return a < b ? b : a;
}
template <class T> GPULAB_INTRINSIC T gpulab_absolute(T a) {
  if constexpr (gpulab_is_floating<T>) return T(__builtin_fabs(a));
  return a < 0 ? -a : a;
}

// Stores a register's bits in a variable of the program.
template <class T, class Register> GPULAB_INTRINSIC void gpulab_give(T& to, Register bits) {
  if constexpr (sizeof(T) == sizeof bits)
    __builtin_memcpy(&to, &bits, sizeof bits);
  else
    to = T(bits);
}

// An address in shared memory has 32 bits. It counts from the dynamic part on; static arrays may have negative offsets.
GPULAB_INTRINSIC unsigned gpulab_offset_in_shared_memory(const void* address) {
  return unsigned((const char*)address - gpulab_dynamic_shared);
}
GPULAB_INTRINSIC char* gpulab_in_shared_memory(unsigned offset) { return gpulab_dynamic_shared + int(offset); }
GPULAB_INTRINSIC char* gpulab_in_shared_memory(unsigned long long offset) {
  return gpulab_in_shared_memory(unsigned(offset));
}
GPULAB_INTRINSIC size_t __cvta_generic_to_shared(const void* address) {
  return gpulab_offset_in_shared_memory(address);
}
GPULAB_INTRINSIC void* __cvta_shared_to_generic(size_t offset) { return gpulab_in_shared_memory(unsigned(offset)); }
GPULAB_INTRINSIC size_t __cvta_generic_to_global(const void* address) { return size_t(address); }
GPULAB_INTRINSIC void* __cvta_global_to_generic(size_t address) { return (void*)address; }
GPULAB_INTRINSIC char* gpulab_in_memory(unsigned long long address) { return (char*)address; }

GPULAB_INTRINSIC unsigned gpulab_thread_number() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
GPULAB_INTRINSIC unsigned gpulab_multiprocessor() {
  return (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) % 8;
}

GPULAB_INTRINSIC int gpulab_high_product(int a, int b) { return int((long long)a * b >> 32); }
GPULAB_INTRINSIC unsigned gpulab_high_product(unsigned a, unsigned b) {
  return unsigned((unsigned long long)a * b >> 32);
}
GPULAB_INTRINSIC unsigned long long gpulab_high_product(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
GPULAB_INTRINSIC float gpulab_fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GPULAB_INTRINSIC double gpulab_fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <class T> GPULAB_INTRINSIC T gpulab_shifted_left(T x, unsigned by) { return by < 8 * sizeof x ? x << by : 0; }
template <class T> GPULAB_INTRINSIC T gpulab_shifted_right(T x, unsigned by) {
  return by < 8 * sizeof x ? x >> by : x < 0 ? T(-1) : 0;
}
template <class T> GPULAB_INTRINSIC unsigned gpulab_leading_zeros(T x) {
  return x == 0 ? 8 * sizeof x : __builtin_clzll(x) - (64 - 8 * sizeof x);
}
template <class T> GPULAB_INTRINSIC unsigned gpulab_highest_bit(T x) {
  if (x < 0) x = ~x;
  return 8 * sizeof x - 1 - gpulab_leading_zeros(x);
}
template <class T> GPULAB_INTRINSIC T gpulab_reversed(T x) {
  T reversed = 0;
  for (unsigned bit = 0; bit < 8 * sizeof x; ++bit) reversed = reversed << 1 | (x >> bit & 1);
  return reversed;
}
template <class T> GPULAB_INTRINSIC T gpulab_extracted(T x, unsigned position, unsigned length) {
  const unsigned bits = 8 * sizeof x;
  position &= 255, length &= 255;
  if (length == 0 || position >= bits) return length != 0 && x < 0 ? T(-1) : 0;
  const unsigned kept = length < bits - position ? length : bits - position;
  return kept == bits ? x : T(x << (bits - position - kept)) >> (bits - kept);
}
template <class T> GPULAB_INTRINSIC T gpulab_inserted(T bits, T into, unsigned position, unsigned length) {
  position &= 255, length &= 255;
  const T mask = gpulab_shifted_left(gpulab_shifted_left(T(1), length) - T(1), position);
  return (into & ~mask) | (gpulab_shifted_left(bits, position) & mask);
}
// Returns four of the eight bytes of x and y, as prmt does: each nibble of the selector names one.
GPULAB_INTRINSIC unsigned gpulab_permuted(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> 4 * i & 15, byte = unsigned(bytes >> (nibble & 7) * 8 & 0xff);
    result |= (nibble & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * i;
  }
  return result;
}
// Returns bits from a table of eight, as lop3 does: the bits of a, b and c at a position are the index.
GPULAB_INTRINSIC unsigned gpulab_looked_up(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  for (unsigned entry = 0; entry < 8; ++entry)
    if (table >> entry & 1) result |= (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
  return result;
}
GPULAB_INTRINSIC unsigned gpulab_funnel_left(unsigned low, unsigned high, unsigned by) {
  return unsigned((((unsigned long long)high << 32 | low) << (by & 31)) >> 32);
}
GPULAB_INTRINSIC unsigned gpulab_funnel_right(unsigned low, unsigned high, unsigned by) {
  return unsigned(((unsigned long long)high << 32 | low) >> (by & 31));
}

// A barrier for that many threads of the block, and an exchange of a word among all lanes of a warp.
extern "C" void gpulab_named_barrier(unsigned number, unsigned threads, int waits, int line);
extern "C" unsigned long long gpulab_lanes(unsigned long long mine, unsigned long long* lanes, int line);
extern "C" [[noreturn]] void gpulab_assertion_failed(const char* condition, int line);
GPULAB_INTRINSIC void gpulab_meet(unsigned number, unsigned threads, bool waits, int line = __builtin_LINE()) {
  gpulab_named_barrier(number, threads, waits, line);
  asm volatile("" ::: "memory");
}
// Number 0 is the barrier of __syncthreads().
GPULAB_INTRINSIC void __barrier_sync(unsigned number, int line = __builtin_LINE()) {
  if (number == 0)
    __syncthreads(line);
  else
    gpulab_meet(number, blockDim.x * blockDim.y * blockDim.z, /*waits=*/true, line);
}
GPULAB_INTRINSIC void __barrier_sync_count(unsigned number, unsigned threads, int line = __builtin_LINE()) {
  if (number == 0 && threads == blockDim.x * blockDim.y * blockDim.z)
    __syncthreads(line);
  else
    gpulab_meet(number, threads, /*waits=*/true, line);
}

// Matrices of tensor cores: each lane reads the others' registers, and these reads must not be hooked.
struct gpulab_warp { unsigned long long of_lanes[32]; };
template <class T> GPULAB_INTRINSIC gpulab_warp gpulab_warp_with(const T& mine, int line) {
  gpulab_warp warp;
  if (unsigned(gpulab_lanes((unsigned long long)&mine, warp.of_lanes, line)) != ~0u)
    gpulab_assertion_failed("all lanes of the warp are at this operation", line);
  return warp;
}
template <class T> GPULAB_LOCAL T gpulab_of_lane(const gpulab_warp& warp, unsigned lane) {
  T value;
  __builtin_memcpy(&value, (const void*)warp.of_lanes[lane], sizeof value);
  return value;
}

// Lane 8 i + j passes the address of row j of matrix i. Each lane gets two elements of matrix i in register i.
struct alignas(16) gpulab_row { unsigned words[4]; };
template <unsigned count>
GPULAB_INTRINSIC void gpulab_load_matrices(const void* row, bool is_transposed, unsigned (&to)[count],
                                           int line = __builtin_LINE()) {
  const unsigned lane = gpulab_lane();
  gpulab_row mine{};
  if (lane < 8 * count) mine = *(const gpulab_row*)row;
  const gpulab_warp warp = gpulab_warp_with(mine, line);
  for (unsigned i = 0; i < count; ++i) {
    const auto half = [&](unsigned of_row, unsigned column) {
      return gpulab_of_lane<gpulab_row>(warp, 8 * i + of_row).words[column / 2] >> 16 * (column % 2) & 0xffff;
    };
    const unsigned pair = 2 * (lane % 4), single = lane / 4;  // indices along the one side and the other
    to[i] = is_transposed ? half(pair, single) | half(pair + 1, single) << 16
                          : half(single, pair) | half(single, pair + 1) << 16;
  }
  gpulab_shuffle(~gpulab_lane_mask(0), 0, ~0u, line);
}

struct gpulab_from_f16 {
  static constexpr unsigned per_register = 2;
  static float of(unsigned bits) {
    const unsigned shifted = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
    if ((bits & 0x7c00) == 0x7c00) return gpulab_as<float>(sign | shifted | 0x7f800000);
    const float scaled = gpulab_as<float>(shifted) * 0x1p112f;
    return sign ? -scaled : scaled;
  }
};
struct gpulab_from_bf16 {
  static constexpr unsigned per_register = 2;
  static float of(unsigned bits) { return gpulab_as<float>(bits << 16); }
};
struct gpulab_from_tf32 {
  static constexpr unsigned per_register = 1;
  static float of(unsigned bits) { return gpulab_as<float>(bits & ~0x1fffu); }
};

// Adds a * b, of 16 x k and k x 8 elements, to this lane's part of the sums.
template <unsigned registers, class From>
GPULAB_INTRINSIC void gpulab_multiply(const unsigned (&a)[2 * registers], const unsigned (&b)[registers],
                                      float (&sums)[4], From, int line = __builtin_LINE()) {
  struct Operands { unsigned a[2 * registers], b[registers]; } mine;
  __builtin_memcpy(mine.a, a, sizeof a);
  __builtin_memcpy(mine.b, b, sizeof b);
  const gpulab_warp warp = gpulab_warp_with(mine, line);
  constexpr unsigned per_register = From::per_register, bits = 32 / per_register;
  const auto element = [](unsigned word, unsigned i) {
    return From::of(word >> i % per_register * bits & (0xffffffffu >> (32 - bits)));
  };
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = gpulab_lane() / 4, column = 2 * (gpulab_lane() % 4) + i % 2;
    for (unsigned k = 0; k < 4 * per_register * registers; ++k) {
      const unsigned lane = k % (4 * per_register) / per_register, part = k / (4 * per_register);
      sums[i] += element(gpulab_of_lane<Operands>(warp, 4 * row + lane).a[2 * part + i / 2], k) *
                 element(gpulab_of_lane<Operands>(warp, 4 * column + lane).b[part], k);
    }
  }
  gpulab_shuffle(~gpulab_lane_mask(0), 0, ~0u, line);
}

// Rounds to the nearest half, ties to even.
GPULAB_LOCAL unsigned gpulab_half_bits(float x) {
  const unsigned bits = gpulab_as<unsigned>(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  if (size > 0x7f800000) return 0x7fff;          // NaN
  if (size >= 0x477ff000) return sign | 0x7c00;  // from 65 520 on: infinity
  if (size < 0x38800000)  // below 2^-14, the smallest normal half
    return sign | unsigned(__builtin_rintf(gpulab_as<float>(size) * 0x1p24f));
  return sign | (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
}
template <unsigned registers, class From>
GPULAB_INTRINSIC void gpulab_multiply(const unsigned (&a)[2 * registers], const unsigned (&b)[registers],
                                      unsigned (&sums)[2], From from, int line = __builtin_LINE()) {
  float wide[] = {From::of(sums[0]), From::of(sums[0] >> 16), From::of(sums[1]), From::of(sums[1] >> 16)};
  gpulab_multiply(a, b, wide, from, line);
  for (int i = 0; i < 2; ++i) sums[i] = gpulab_half_bits(wide[2 * i]) | gpulab_half_bits(wide[2 * i + 1]) << 16;
}
