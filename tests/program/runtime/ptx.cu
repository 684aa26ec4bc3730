#include <cstdio>

// Each case compares an instruction of inline PTX with C++.

__device__ int wrong = 0;

template <class T> __device__ void expect(int line, T value, T expected) {
  if (value == expected) return;
  printf("line %d: %llx, not %llx\n", line, (unsigned long long)value, (unsigned long long)expected);
  atomicAdd(&wrong, 1);
}
#define EXPECT(value, expected) expect<decltype(value)>(__LINE__, value, expected)

#define ADD3(sum, a, b, c)                                                     \
  asm volatile("{\n\t.reg .u32 t;\n\t"                                         \
               "add.u32 t, %1, %2;\n\tadd.u32 %0, t, %3;\n}"                   \
               : "=r"(sum)                                                     \
               : "r"(a), "r"(b), "r"(c))

__device__ void integers(unsigned a, unsigned b) {
  unsigned x;
  asm("add.u32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b));
  EXPECT(x, a + b);
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b));
  EXPECT(x, __umulhi(a, b));
  asm("mad.lo.u32 %0, %1, %2, 7;" : "=r"(x) : "r"(a), "r"(b));
  EXPECT(x, a * b + 7);
  asm("bfe.u32 %0, %1, 8, 4;" : "=r"(x) : "r"(a));
  EXPECT(x, a >> 8 & 15);
  int y;
  asm("bfe.s32 %0, %1, 28, 4;" : "=r"(y) : "r"(a));
  EXPECT(y, int(a) >> 28);
  asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(x) : "r"(b), "r"(a));
  EXPECT(x, (a & ~0xff0u) | (b & 0xff) << 4);
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(x) : "r"(a), "r"(b));
  EXPECT(x, __byte_perm(a, b, 0x5410));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(x) : "r"(a), "r"(b), "r"(0xffu));
  EXPECT(x, a ^ b ^ 0xffu);
  asm("shf.l.wrap.b32 %0, %1, %2, 5;" : "=r"(x) : "r"(a), "r"(b));
  EXPECT(x, __funnelshift_l(a, b, 5));
  asm("shl.b32 %0, %1, 40;" : "=r"(x) : "r"(a));
  EXPECT(x, 0u);
  asm("popc.b32 %0, %1;" : "=r"(x) : "r"(a));
  EXPECT(x, unsigned(__popc(a)));
  asm("clz.b32 %0, %1;" : "=r"(x) : "r"(b));
  EXPECT(x, unsigned(__clz(b)));
  asm("bfind.u32 %0, %1;" : "=r"(x) : "r"(b));
  EXPECT(x, unsigned(31 - __clz(b)));
  asm("brev.b32 %0, %1;" : "=r"(x) : "r"(a));
  EXPECT(x, __brev(a));
  unsigned long long wide;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(a), "r"(b));
  EXPECT(wide, (unsigned long long)a * b);
  asm("cvt.u64.u32 %0, %1;" : "=l"(wide) : "r"(a));
  EXPECT(wide, (unsigned long long)a);
  asm("{ .reg .pred p; setp.lt.u32 p, %1, %2; selp.u32 %0, 1, 2, p; @p add.u32 %0, %0, 10; }"
      : "=r"(x) : "r"(b), "r"(a));
  EXPECT(x, b < a ? 11u : 2u);
  ADD3(x, a, b, 1u);
  EXPECT(x, a + b + 1);
  asm("add.u32 %0, %0, 1;" : "+r"(x));
  EXPECT(x, a + b + 2);
}

__device__ void numbers(float a, double b) {
  float x;
  asm("fma.rn.f32 %0, %1, %1, 0f3F800000;" : "=f"(x) : "f"(a));
  EXPECT(x, fmaf(a, a, 1));
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(3.0f));
  EXPECT(x, 8.0f);
  asm("max.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(-1.0f));
  EXPECT(x, a);
  double y;
  asm("mul.f64 %0, %1, %2;" : "=d"(y) : "d"(b), "d"(2.0));
  EXPECT(y, 2 * b);
  unsigned bits;
  asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(a));
  EXPECT(bits, __float_as_uint(a));
  int rounded;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(rounded) : "f"(2.5f));
  EXPECT(rounded, 2);
}

__device__ void warps() {
  const unsigned lane = threadIdx.x % 32;
  unsigned x;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(x));
  EXPECT(x, lane);
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(x));
  EXPECT(x, (1u << lane) - 1);
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  EXPECT(x, blockIdx.x);
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(x) : "r"(lane), "r"(1));
  EXPECT(x, lane ^ 1);
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(x) : "r"(lane & 1));
  EXPECT(x, 0xaaaaaaaau);
}

// Copies asynchronously into shared memory, whose address has 32 bits.
__device__ void memory(const float4* in, unsigned* counter, float* out) {
  __shared__ float4 tile[64];
  const unsigned to = unsigned(__cvta_generic_to_shared(&tile[threadIdx.x]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
#ifndef NO_BARRIER
  asm volatile("bar.sync 0;");
#endif
  const unsigned from = unsigned(__cvta_generic_to_shared(&tile[63 - threadIdx.x]));
  float x, y;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2+8];" : "=f"(x), "=f"(y) : "r"(from));
  float z;
  asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(z) : "l"(&in[63 - threadIdx.x].z));
  EXPECT(x, z);
  asm volatile("st.global.f32 [%0], %1;" ::"l"(out + threadIdx.x), "f"(y) : "memory");
  unsigned before;
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
  EXPECT(before < 64, true);
  asm volatile("red.global.max.u32 [%0], %1;" ::"l"(counter + 1), "r"(threadIdx.x) : "memory");
  __shared__ long long least;
  if (threadIdx.x == 0) least = 5;
  asm volatile("bar.sync 0;");
  asm volatile("red.shared.min.s64 [%0], %1;" ::"r"(unsigned(__cvta_generic_to_shared(&least))), "l"(-7LL) : "memory");
  asm volatile("bar.sync 0;");
  EXPECT(least, -7LL);
  asm volatile("membar.gl;" ::: "memory");
}

// Two warps fill a tile that the two others read, by named barriers: 1 when it is full, 2 when it is empty.
__global__ void pass_on(const float* in, float* out) {
  __shared__ float tile[64];
  const int place = threadIdx.x % 64;
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x < 64) {
      if (round > 0) asm volatile("bar.sync 2, 128;" ::: "memory");
      tile[place] = in[64 * round + place];
#ifdef MISSING_ARRIVAL
      if (round == 3 && threadIdx.x < 32) break;
#endif
      asm volatile("bar.arrive %0, %1;" ::"r"(1), "r"(128) : "memory");
    } else {
#ifndef NO_NAMED_BARRIER
      asm volatile("bar.sync 1, 128;" ::: "memory");
#endif
      out[64 * round + place] = tile[63 - place];
      if (round < 3) asm volatile("barrier.arrive 2, 128;" ::: "memory");
    }
  }
}

// A product by tensor cores, in the layout of PTX: of 16 x 16 and 16 x 8 halves, and of tf32.
__device__ unsigned two_halves(unsigned low, unsigned high) {  // small integers
  const auto half = [](unsigned n) {
    const int exponent = 31 - __clz(n);
    return n == 0 ? 0u : (exponent + 15) << 10 | (n << 10 >> exponent & 0x3ff);
  };
  return half(low) | half(high) << 16;
}
__device__ int left(int row, int k) { return (row + 2 * k) % 5; }
__device__ int right(int k, int column) { return (3 * k + column) % 4; }

__global__ void multiply() {
  __shared__ __align__(16) unsigned a[16][8], b[16][4];  // pairs of halves
  const int lane = threadIdx.x;
  for (int i = lane; i < 128; i += 32) a[i / 8][i % 8] = two_halves(left(i / 8, i % 8 * 2), left(i / 8, i % 8 * 2 + 1));
  for (int i = lane; i < 64; i += 32) b[i / 4][i % 4] = two_halves(right(i / 4, i % 4 * 2), right(i / 4, i % 4 * 2 + 1));
#ifndef NO_WARP_BARRIER
  __syncwarp();
#endif
  unsigned x[4], y[2];
  const unsigned at_a = unsigned(__cvta_generic_to_shared(&a[lane % 16][lane / 16 * 4]));
  const unsigned at_b = unsigned(__cvta_generic_to_shared(&b[lane % 16][0]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at_a));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(at_b));
  float d[4] = {1, 1, 1, 1};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  unsigned halves[2] = {0x3c003c00, 0x3c003c00};  // 1
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
               : "+r"(halves[0]), "+r"(halves[1])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  float e[4];
  for (int i = 0; i < 4; ++i) x[i] = __float_as_uint(left(lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4));
  for (int i = 0; i < 2; ++i) y[i] = __float_as_uint(right(lane % 4 + 4 * i, lane / 4));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
               : "=f"(e[0]), "=f"(e[1]), "=f"(e[2]), "=f"(e[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "f"(0.0f));
  for (int i = 0; i < 4; ++i) {
    const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    int sum = 1, shorter = 0;
    for (int k = 0; k < 16; ++k) sum += left(row, k) * right(k, column);
    for (int k = 0; k < 8; ++k) shorter += left(row, k) * right(k, column);
    EXPECT(+d[i], float(sum));
    EXPECT(halves[i / 2] >> i % 2 * 16 & 0xffff, two_halves(sum, 0));
    EXPECT(+e[i], float(shorter));
  }
}

__global__ void run(const float4* in, unsigned* counter, float* out) {
  integers(0x9abcdef0u + threadIdx.x, 0x1234567u);
  numbers(1.5f + threadIdx.x, 0.1 * threadIdx.x);
  warps();
  memory(in, counter, out);
}

int main() {
  float4* in;
  unsigned* counter;
  float* out;
  cudaMallocManaged(&in, 64 * sizeof *in);
  cudaMallocManaged(&counter, 2 * sizeof *counter);
  cudaMallocManaged(&out, 64 * sizeof *out);
  for (int i = 0; i < 64; ++i) in[i] = make_float4(i, i + 0.25f, i + 0.5f, i + 0.75f);
  counter[0] = counter[1] = 0;
  run<<<1, 64>>>(in, counter, out);
  cudaDeviceSynchronize();
  float* passed;
  cudaMalloc(&passed, 256 * sizeof *passed);
  pass_on<<<1, 128>>>(&in[0].x, passed);
  multiply<<<1, 32>>>();
  cudaDeviceSynchronize();
  int count;
  cudaMemcpyFromSymbol(&count, wrong, sizeof count);
  printf("%d wrong, out[0] = %g, counters %u %u\n", count, out[0], counter[0], counter[1]);
  cudaFree(passed);
  cudaFree(in);
  cudaFree(counter);
  cudaFree(out);
}
