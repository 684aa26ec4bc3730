#include "cli/program_fixture.hpp"
#include "test.hpp"

namespace gpulab::program::runtime {
namespace {

// A kernel's body that races, and the correction that gpulab names. The body begins in line 3.
struct Mistake {
  const char *body, *correction;
};

class RaceAdvice : public cli::ProgramTest, public testing::WithParamInterface<Mistake> {};

TEST_P(RaceAdvice, NamesTheCorrectionOfOneDefect) {
  write("race.cu",
        std::string("__global__ void kernel(int* a, int* count, int n) {\n  __shared__ int s[128]; int t = "
                    "threadIdx.x;\n") +
            GetParam().body +
            "\n}\nint main() {\n  int *a, *count;\n  cudaMalloc(&a, 1024);\n  cudaMalloc(&count, 4);\n"
            "  cudaMemset(a, 0, 1024);\n  cudaMemset(count, 0, 4);\n  kernel<<<1, 128>>>(a, count, 128);\n"
            "  cudaDeviceSynchronize();\n  cudaFree(a);\n  cudaFree(count);\n}\n");
  const cli::ProgramRun ran = run({"run", "race.cu"});
  EXPECT_TRUE(contains(ran.err, std::string("write: ") + GetParam().correction + "\n")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "1 defect found")) << ran.err;
}

using RaceAdviceOnTiles = cli::ProgramTest;

TEST_F(RaceAdviceOnTiles, AsksForTheBarrierThatBothTilesNeed) {
  write("tiles.cu", R"(
__global__ void mul(const float* a, float* c) {
  __shared__ float left[16][16], right[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int tile = 0; tile < 2; ++tile) {
    left[y][x] = a[16 * y + x] + tile;
    right[y][x] = a[16 * y + x] - tile;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[y][k] * right[k][x];
  }
  c[16 * y + x] = sum;
}
int main() {
  float *a, *c;
  cudaMalloc(&a, 1024);
  cudaMalloc(&c, 1024);
  cudaMemset(a, 0, 1024);
  mul<<<1, dim3(16, 16)>>>(a, c);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(c);
}
)");
  const std::string report = run({"run", "tiles.cu"}).err;
  EXPECT_TRUE(contains(report, "write: __syncthreads(); at the end of the loop")) << report;
  EXPECT_FALSE(contains(report, "__syncwarp")) << report;
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, RaceAdvice,
    testing::Values(
        Mistake{"  s[t] = a[t];\n  a[t] = s[127 - t];", "__syncthreads(); between line 3 and line 4"},
        Mistake{
            "  s[t] = a[t];\n  __syncthreads();\n  for (int d = 64; d > 0; d /= 2)\n    if (t < d) s[t] += s[t + "
            "d];\n  a[t] = t == 0 ? s[0] : 0;",
            "__syncthreads(); at the end of the loop, which ends in line 6"},
        Mistake{
            "  const auto take = [&] { __syncthreads(); return s[127 - t]; };\n  for (int k = 0; k < 2; ++k) {\n"
            "    s[t] = a[t];\n    __syncthreads();\n    a[t] += take();\n  }",
            "__syncthreads(); at the end of the loop, which ends in line 8"},
        Mistake{"  s[t] = a[t]; a[t] = s[127 - t];", "__syncthreads(); between the two statements in line 3"},
        Mistake{"  s[t] = a[t];\n  __syncthreads();\n  if (t < 127) s[t] = s[t + 1];",
                "the value to a variable, then __syncthreads(); outside of any if, then the store, in line 5"},
        Mistake{
            "  s[t] = a[t];\n  __syncthreads();\n  if (t < 32) {\n    s[t] = t;\n    const int u = 31 - t;\n    a[t] = s[u];\n  }",
            "__syncwarp(); between line 6 and line 8"},
        Mistake{
            "  s[t] = a[t];\n  __syncthreads();\n  if (t < 32) {\n    s[t] += s[t + 16];\n    s[t] += s[t + 8];\n  }",
            "the value to a variable, then __syncwarp();, the store and __syncwarp(); again, for each step of lines 6 to 7"},
        Mistake{// each warp has 32 elements of its own
                "  int* w = s + t / 32 * 32;\n  for (int k = 0; k < 2; ++k) {\n    w[t % 32] = t + k;\n"
                "    a[t] += w[31 - t % 32];\n  }",
                "__syncwarp(); between line 5 and line 6, and after line 6"},
        Mistake{"  __shared__ int r[4][64]; int *w = r[t / 32], l = t % 32;\n  w[l] = t; w[l + 32] = t;\n"
                "  __syncwarp();\n  for (int j = 32; j; j /= 2) {\n"
                "    const int i = 2 * l - (l & (j - 1)), x = w[i], y = w[i + j];\n"
                "    if (x < y) { w[i] = y; w[i + j] = x; }\n  }",
                "__syncwarp(); at the end of the loop, which ends in line 9"},
        Mistake{"  s[t] = t;\n  __syncwarp();\n  if (a[t] > 0) atomicAdd(&s[t], 1);\n  a[t] = s[127 - t];",
                "__syncthreads(); between line 5 and line 6"},
        Mistake{
            "  s[t] = a[t];\n  __syncthreads();\n  if (t < 32) { volatile int* w = s; w[t] += w[t + 16]; w[t] "
            "+= w[t + 8]; }",
            "the value to a variable, then __syncwarp();, the store and __syncwarp(); again, for each step of line 5"},
        Mistake{"  for (int o = 1; o < 32; o *= 2) {\n    const int k = t ^ o;\n    s[t] = k;\n"
                "    a[t] = s[k];\n    __syncwarp();\n  }",
                "__syncwarp(); between line 5 and line 6"},
        Mistake{
            "  s[t] = a[t];\n  __syncthreads();\n  if (t < n / 2) {\n    s[t] = t;\n    a[t] = s[n / 2 - 1 - t];\n  }",
            "__syncthreads(); between line 6 and line 7, outside of the branch in line 5: not all threads enter it"},
        Mistake{// the race gives threads different items, so they part at the barrier, too
                "  __shared__ int item;\n  while (true) {\n    if (t == 0) item = atomicAdd(count, 1);\n"
                "    __syncthreads();\n    if (item >= n) break;\n    atomicAdd(&a[item], t);\n  }",
                "__syncthreads(); at the end of the loop, which ends in line 9"},
        Mistake{
            "  __shared__ int more;\n  do {\n    if (t == 0) more = 0;\n    __syncthreads();\n"
            "    if (++a[t] < 3) atomicExch(&more, 1);\n    __syncthreads();\n  } while (more);",
            "the value to a variable, then __syncthreads(); and that variable in the condition in line 9"},
        Mistake{"  s[t] = a[t];\n  __syncthreads();\n  if (t < n) a[t] = s[t + 1];",
                "if (t + 1 < 128) before the access in line 5"},
        Mistake{
            "  __shared__ int r[2][128];\n  r[0][t] = a[t];\n  for (int d = 1; d < n; d *= 2) {\n    __syncthreads();\n"
            "    if (t >= d) r[0][t] += r[0][t - d];\n  }\n  a[t] = r[0][t];",
            "the value to a variable, then __syncthreads(); outside of any if, then the store, in line 7"},
        Mistake{// both stores come too early
                "  __shared__ int r[128];\n  for (int k = 0; k < 4; ++k) {\n    s[t] = a[t];\n    r[t] = k;\n"
                "    __syncthreads();\n    a[t] = s[127 - t] + r[127 - t];\n  }",
                "__syncthreads(); at the end of the loop, which ends in line 9"},
        Mistake{"  if (t < n - 1) a[t] = a[t + 1];",
                "the results to another array: line 3 reads elements that it writes"},
        Mistake{"  for (int c = 0; c < 2; ++c)\n    if (t < n - 1 && (t & 1) == c) a[t] += a[t + 1];",
                "one launch for each colour of the condition in line 4"},
        Mistake{"  const int at = *count;\n  *count = at + 1;\n  a[at] = t;",
                "at = atomicAdd(count, 1), in place of both statements"}));

using BarrierAdvice = cli::ProgramTest;

TEST_F(BarrierAdvice, NamesTheNextCallAndTheThreadsThatATileSyncOrders) {
  const auto report_of = [&](const std::string& kernel) {
    write("race.cu", "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n" + kernel +
                         "int main() {\n  int* a;\n  cudaMalloc(&a, 512);\n  cudaMemset(a, 0, 512);\n"
                         "  k<<<1, 128>>>(a);\n  cudaDeviceSynchronize();\n  cudaFree(a);\n}\n");
    return run({"run", "race.cu"}).err;
  };
  const std::string calls = report_of(
      "__device__ int first(int v, int* s) {\n  if (threadIdx.x == 0) s[0] = v;\n  __syncthreads();\n"
      "  return s[0];\n}\n__global__ void k(int* a) {\n  __shared__ int s[1];\n"
      "  int all = first(a[0], s);\n  all += first(a[1], s);\n  a[threadIdx.x] = all;\n}\n");
  EXPECT_TRUE(contains(calls, "there is none between line 6 and line 4 of the next call\n")) << calls;
  const std::string tiles = report_of(
      "__global__ void k(int* a) {\n  __shared__ int s[128];\n  const int t = threadIdx.x;\n"
      "  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n  s[t] = t;\n  tile.sync();\n"
      "  a[t] = s[127 - t];\n}\n");
  EXPECT_TRUE(
      contains(tiles, "race.cu:8: tile.sync();\n    tile.sync() orders the 32 threads of a tile only\n"))
      << tiles;
}

TEST_F(BarrierAdvice, IsAbsentWhereTheOtherBufferMayBeMeant) {
  const auto is_advised = [&](const std::string& buffer) {
    write("race.cu",
          "__global__ void k(int* a) {\n  __shared__ int s[2][128];\n  int t = threadIdx.x, sum = 0;\n"
          "  s[0][t] = a[t];\n  __syncthreads();\n  for (int k = 0; k < 4; ++k) {\n"
          "    const int now = k & 1;\n    sum += s[now][127 - t];\n    s[" +
              buffer +
              "][t] = k;\n    __syncthreads();\n  }\n  a[t] = sum;\n}\n"
              "int main() {\n  int *a, h[128];\n  cudaMalloc(&a, 512);\n  cudaMemset(a, 0, 512);\n"
              "  k<<<1, 128>>>(a);\n  cudaMemcpy(h, a, 512, cudaMemcpyDeviceToHost);\n  cudaFree(a);\n}\n");
    const std::string report = run({"run", "race.cu"}).err;
    EXPECT_EQ(contains(report, "DEFECT  race-shared"), buffer != "now ^ 1") << report;
    return contains(report, "write: ");
  };
  EXPECT_FALSE(is_advised("now"));
  EXPECT_FALSE(is_advised("now ^ 1"));
  EXPECT_TRUE(is_advised("0"));
}

TEST_F(BarrierAdvice, NamesTheBranchThatKeepsLanesFromAShuffle) {
  const auto report_of = [&](const std::string& body) {
    write("lanes.cu",
          "__device__ int all(int v) {\n"
          "  for (int k = 16; k; k /= 2) v += __shfl_xor_sync(0xffffffff, v, k);\n  return v;\n}\n"
          "__global__ void k(const int* a, int* out, int rows) {\n"
          "  const int lane = threadIdx.x % 32, row = threadIdx.x / 32;\n"
          "  int v = a[threadIdx.x], s = 0;\n" +
              body +
              "  if (lane == 0) out[row] = s;\n}\n"
              "int main() {\n  int *a, *out, h[64];\n  for (int i = 0; i < 64; ++i) h[i] = i % 9;\n"
              "  cudaMalloc(&a, 256);\n  cudaMalloc(&out, 8);\n"
              "  cudaMemcpy(a, h, 256, cudaMemcpyHostToDevice);\n  k<<<1, 64>>>(a, out, 2);\n"
              "  cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost);\n  cudaFree(a);\n  cudaFree(out);\n}\n");
    return run({"run", "lanes.cu"}).err;
  };
  const std::string called = report_of("  if (v > 3)\n    s = all(v);\n  s += all(1);\n");
  EXPECT_TRUE(contains(
      called, "lanes.cu:8: if (v > 3)\n    not all lanes go on here to the warp operation in line 9"))
      << called;
  EXPECT_TRUE(contains(called, "lanes.cu:9: s = all(v);\n    but it waits for them")) << called;
  EXPECT_FALSE(contains(called, "write: ")) << called;
  const std::string looped = report_of(
      "  if (row >= rows) return;\n  for (int i = lane; i < 40; i += 32)\n    s = all(v);\n  s += all(1);\n");
  EXPECT_TRUE(contains(looped, "lanes.cu:9: for (int i = lane;")) << looped;
  EXPECT_FALSE(contains(looped, "lanes that return here")) << looped;
  EXPECT_TRUE(contains(report_of("  if (row < rows) s = all(v);\n"), "no defect found"));
}

TEST_F(BarrierAdvice, NamesAMissingBarrierOfTheGridOnce) {
  write(
      "race.cu",
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(int* sum) {\n  cg::grid_group grid = cg::this_grid();\n  for (int i = 0; i < 3; ++i) {\n"
      "    if (threadIdx.x == 0) atomicAdd(sum, 1);\n    grid.sync();\n    const bool stop = *sum < 4;\n"
      "    if (stop) break;\n    if (grid.thread_rank() == 0) *sum = 0;\n    grid.sync();\n  }\n}\n"
      "int main() {\n  int* sum;\n  cudaMalloc(&sum, 4);\n  cudaMemset(sum, 0, 4);\n"
      "  void* arguments[] = {&sum};\n"
      "  cudaLaunchCooperativeKernel((void*)k, dim3(4), dim3(64), arguments, 0, 0);\n"
      "  cudaDeviceSynchronize();\n  cudaFree(sum);\n}\n");
  const std::string report = run({"run", "race.cu"}).err;
  EXPECT_TRUE(contains(report, "write: grid.sync(); between line 8 and line 10\n")) << report;
  EXPECT_TRUE(contains(report, "1 defect found")) << report;
}

TEST_F(BarrierAdvice, LeavesOutTheRacesThatFollowFromARaceForAnIndex) {
  const auto report_of = [&](const std::string& kernel) {
    write("race.cu",
          "#include <cub/cub.cuh>\n" + kernel +
              "int main() {\n  int *a, h[64];\n  cudaMalloc(&a, 256);\n  k<<<1, 64>>>(a);\n"
              "  cudaMemcpy(h, a, 256, cudaMemcpyDeviceToHost);\n  cudaFree(a);\n  return h[9] < 0;\n}\n");
    return run({"run", "race.cu"}).err;
  };
  const std::string next = report_of(
      "__global__ void k(int* a) {\n  __shared__ int row;\n  for (int i = 0; i < 64; ++i) {\n"
      "    if (threadIdx.x == 0) row = i;\n    __syncthreads();\n    if (threadIdx.x == 32) a[row] = 1;\n  }\n}\n");
  EXPECT_TRUE(contains(next, "1 defect found")) << next;
  const std::string place = report_of(
      "__global__ void k(int* a) {\n  using Scan = cub::BlockScan<int, 64>;\n"
      "  using Sum = cub::BlockReduce<int, 64>;\n"
      "  __shared__ union { Scan::TempStorage scan; Sum::TempStorage sum; } s;\n  int at;\n"
      "  Scan(s.scan).ExclusiveSum(1, at);\n  const int all = Sum(s.sum).Sum(1);\n  a[at] = threadIdx.x;\n"
      "  if (threadIdx.x == 0) a[0] = all;\n}\n");
  EXPECT_TRUE(contains(place, "likely a consequence: race-global in line")) << place;
}

TEST_F(BarrierAdvice, NamesBothThreadsByAllTheirIndices) {
  write(
      "race.cu",
      "__global__ void k(int* a) {\n  __shared__ int s[64];\n  const int t = threadIdx.y * 16 + threadIdx.x;\n"
      "  s[t] = t;\n  a[t] = s[t ^ 16];\n}\nint main() {\n  int* a;\n  cudaMalloc(&a, 256);\n"
      "  k<<<1, dim3(16, 2)>>>(a);\n  cudaDeviceSynchronize();\n  cudaFree(a);\n}\n");
  const std::string report = run({"run", "race.cu"}).err;
  EXPECT_TRUE(contains(report, ", 0)") && contains(report, ", 1)")) << report;
}

using LaunchAdvice = cli::ProgramTest;
using LockAdvice = cli::ProgramTest;

TEST_F(LockAdvice, NamesTheFenceThatAFunctionLacksOnceForAllItsRaces) {
  const auto program = [](const std::string& fence) {
    return "__device__ void lock(int* m) { while (atomicCAS(m, 0, 1) != 0) ; __threadfence(); }\n"
           "__device__ void unlock(int* m) { " +
           fence +
           "atomicExch(m, 0); }\n"
           "__global__ void merge(int* best, int* total, int* locks) {\n"
           "  const int t = threadIdx.x;\n  if (t == 0) lock(locks);\n  __syncthreads();\n"
           "  total[t] += 1;\n  if (t == 0 && blockIdx.x >= *best) {\n    *best = blockIdx.x;\n  }\n"
           "  __syncthreads();\n  if (t == 0) unlock(locks);\n}\n"
           "int main() {\n  int *best, *total, *locks;\n  cudaMalloc(&best, 4);\n  cudaMalloc(&total, 256);\n"
           "  cudaMalloc(&locks, 4);\n  cudaMemset(best, 0, 4);\n  cudaMemset(total, 0, 256);\n"
           "  cudaMemset(locks, 0, 4);\n  merge<<<5, 64>>>(best, total, locks);\n"
           "  cudaDeviceSynchronize();\n  cudaFree(best);\n  cudaFree(total);\n  cudaFree(locks);\n}\n";
  };
  write("lock.cu", program(""));
  const cli::ProgramRun ran = run({"run", "lock.cu"});
  EXPECT_TRUE(contains(ran.err, "write: __threadfence(); before atomicExch in line 2\n")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "it explains as well:")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "1 defect found")) << ran.err;
  EXPECT_FALSE(contains(ran.err, "the same value") || contains(ran.err, "atomicAdd")) << ran.err;
  write("lock.cu", program("__threadfence(); "));
  EXPECT_EQ(run({"run", "lock.cu"}).exit_code, 0);
}

TEST_F(LockAdvice, NamesTheFenceWhereThreadsOfOneBlockLockBesideOtherAtomics) {
  write("locks.cu", R"(__device__ void unlock(int* m) { atomicExch(m, 0); }
__device__ void count(int* total) { atomicAdd(total, 1); }
__global__ void put(int* heads, int* locks, int* total) {
  const int b = threadIdx.x % 4;
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[b], 0, 1) == 0) {
      __threadfence();
      const int old = heads[b];
      heads[b] = old + threadIdx.x;
      count(total);
      unlock(&locks[b]);
      done = true;
    }
  }
}
int main() {
  int* x;
  cudaMalloc(&x, 36);
  cudaMemset(x, 0, 36);
  put<<<1, 64>>>(x, x + 4, x + 8);
  cudaDeviceSynchronize();
  cudaFree(x);
}
)");
  const cli::ProgramRun ran = run({"run", "locks.cu"});
  EXPECT_TRUE(contains(ran.err, "write: __threadfence(); before atomicExch in line 1\n")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "1 defect found")) << ran.err;
}

TEST_F(LockAdvice, NamesAScopeAndAFenceThatReachTheBlockOnlyAndARelaxedStore) {
  const auto program_with_signal = [](const std::string& signal) {
    return "#include <cuda/atomic>\n__global__ void pass(int* data, int* flag) {\n  if (threadIdx.x > 0) return;\n"
           "  if (blockIdx.x == 0) {\n    *data = 7;\n" +
           signal +
           "  } else {\n    while (atomicAdd(flag, 0) == 0);\n    __threadfence();\n    flag[1] = *data;\n  }\n}\n"
           "int main() {\n  int *data, *flag;\n  cudaMalloc(&data, 4), cudaMalloc(&flag, 8);\n"
           "  cudaMemset(flag, 0, 8);\n  pass<<<2, 32>>>(data, flag);\n  cudaDeviceSynchronize();\n"
           "  cudaFree(data), cudaFree(flag);\n}\n";
  };
  write("scope.cu",
        program_with_signal("    cuda::atomic_ref<int, cuda::thread_scope_block>(*flag).store(1);\n"));
  const cli::ProgramRun scope = run({"run", "scope.cu"});
  EXPECT_TRUE(contains(scope.err, "orders nothing for another one")) << scope.err;
  EXPECT_TRUE(contains(scope.err, "write: cuda::thread_scope_device, not cuda::thread_scope_block\n"))
      << scope.err;
  write("fence.cu", program_with_signal("    __threadfence_block();\n    atomicExch(flag, 1);\n"));
  const cli::ProgramRun fence = run({"run", "fence.cu"});
  EXPECT_TRUE(contains(fence.err, "write: __threadfence(), not __threadfence_block(), in line 6\n"))
      << fence.err;
  write("ptx.cu",
        "__device__ void set(int* p) {\n  asm volatile(\"st.relaxed.gpu.global.s32 [%0], 1;\" :: "
        "\"l\"(p) : \"memory\");\n}\n" +
            program_with_signal("    set(flag);\n"));
  const cli::ProgramRun ptx = run({"run", "ptx.cu"});
  EXPECT_TRUE(contains(ptx.err, "write: st.release.gpu.global.s32 in line 2\n")) << ptx.err;
}

TEST_F(LaunchAdvice, AsksForAConditionWhereAThreadReadsBeforeTheDynamicMemory) {
  write(
      "before.cu",
      "extern __shared__ float s[];\n__global__ void kernel(float* a) {\n  s[threadIdx.x] = 1;\n"
      "  __syncthreads();\n  a[threadIdx.x] = s[threadIdx.x - 1];\n}\nint main() {\n  float* a;\n"
      "  cudaMalloc(&a, 256);\n  kernel<<<1, 64, 256>>>(a);\n  cudaDeviceSynchronize();\n  cudaFree(a);\n}\n");
  const cli::ProgramRun ran = run({"run", "before.cu"});
  EXPECT_TRUE(contains(ran.err, "write: if (threadIdx.x >= 1) before the read in line 5\n")) << ran.err;
}

TEST_F(LaunchAdvice, CorrectsAPitchInBytesAndNamesTheBytesOfDynamicMemory) {
  write(
      "pitch.cu",
      "__global__ void k(const float* in, float* out, size_t pitch) {\n"
      "  out[threadIdx.x] = in[threadIdx.x * pitch];\n}\nint main() {\n  float *in, *out;\n  size_t pitch;\n"
      "  cudaMallocPitch(&in, &pitch, 80, 32);\n  cudaMemset(in, 0, 32 * pitch);\n  cudaMalloc(&out, 128);\n"
      "  k<<<1, 32>>>(in, out, pitch);\n  cudaDeviceSynchronize();\n  cudaFree(in), cudaFree(out);\n}\n");
  const cli::ProgramRun pitch = run({"run", "pitch.cu"});
  EXPECT_TRUE(contains(pitch.err, "write: pitch / sizeof(*in) in place of pitch in each index\n"))
      << pitch.err;
  write(
      "bytes.cu",
      "__global__ void k(int* out) {\n  extern __shared__ char raw[];\n  int* s = (int*)raw;\n"
      "  s[threadIdx.x + blockDim.x] = 1;\n  out[threadIdx.x] = s[threadIdx.x + blockDim.x];\n}\nint main() {\n"
      "  int* out;\n  cudaMalloc(&out, 128);\n  k<<<1, 32, 32 * sizeof(int)>>>(out);\n"
      "  cudaDeviceSynchronize();\n  cudaFree(out);\n}\n");
  const cli::ProgramRun bytes = run({"run", "bytes.cu"});
  EXPECT_TRUE(contains(bytes.err, "the launch in line 10 gives that many")) << bytes.err;
}

TEST_F(LaunchAdvice, CorrectsTheBytesOfDynamicMemoryOnceForAllLines) {
  write(
      "dynamic.cu",
      "extern __shared__ float s[];\n__global__ void kernel(float* a) {\n  s[threadIdx.x] = 1;\n"
      "  __syncthreads();\n  a[threadIdx.x] = s[127 - threadIdx.x];\n}\nint main() {\n  float* a;\n"
      "  cudaMalloc(&a, 512);\n  kernel<<<1, 128, 128>>>(a);\n  cudaDeviceSynchronize();\n  cudaFree(a);\n}\n");
  const cli::ProgramRun ran = run({"run", "dynamic.cu"});
  for (const char* part :
       {"in line 10 gives 128 bytes", "dynamic.cu:3: s[threadIdx.x] = 1;", "dynamic.cu:5: a[threadIdx.x]",
        "write: <<<1, 128, 128 * sizeof(float)>>>\n", "1 defect found"})
    EXPECT_TRUE(contains(ran.err, part)) << part << ran.err;
}

}  // namespace
}  // namespace gpulab::program::runtime
