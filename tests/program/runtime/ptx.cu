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
  asm volatile("membar.gl;" ::: "memory");
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
  int count;
  cudaMemcpyFromSymbol(&count, wrong, sizeof count);
  printf("%d wrong, out[0] = %g, counters %u %u\n", count, out[0], counter[0], counter[1]);
  cudaFree(in);
  cudaFree(counter);
  cudaFree(out);
}
