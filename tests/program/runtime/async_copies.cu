#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cstdio>
#include <cstring>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <utility>

namespace cg = cooperative_groups;

// Each kernel adds up tiles that it copies to shared memory.
constexpr int threads = 64, tiles = 4, n = threads * tiles;

// The step that a kernel leaves out.
enum Mistake { none, no_wait, no_barrier, no_second_barrier, only_first };

template <Mistake mistake>
__global__ void by_group(const int* in, int* out) {
  __shared__ int tile[threads];
  const cg::thread_block block = cg::this_thread_block();
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    cg::memcpy_async(block, tile, in + i * threads, sizeof(int) * threads);  // by group
    if (mistake != no_wait) cg::wait(block);
    sum += tile[(threadIdx.x + 1) % threads];  // adds
    if (mistake != no_second_barrier) block.sync();
  }
  out[threadIdx.x] = sum;
}

__global__ void by_two_stages(const int* in, int* out) {
  __shared__ int tile[2][threads];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile[0], in, cuda::aligned_size_t<16>(sizeof(int) * threads));
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) {
      cg::memcpy_async(block, tile[(i + 1) % 2], in + (i + 1) * threads, sizeof(int) * threads);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    sum += tile[i % 2][(threadIdx.x + 1) % threads];
    block.sync();
  }
  out[threadIdx.x] = sum;
}

template <Mistake mistake>
__global__ void by_thread(const int* in, int* out) {
  __shared__ int tile[2][threads];
  const int x = threadIdx.x;
  int sum = 0;
  __pipeline_memcpy_async(&tile[0][x], in + x, sizeof(int));
  __pipeline_commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) __pipeline_memcpy_async(&tile[(i + 1) % 2][x], in + (i + 1) * threads + x, sizeof(int));  // by thread
    __pipeline_commit();
    __pipeline_wait_prior(mistake == no_wait ? 2 : 1);
    if (mistake != no_barrier) __syncthreads();
    sum += tile[i % 2][mistake == only_first ? x : (x + 1) % threads];
    if (mistake != no_second_barrier) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void with_zeros(const int* in, int* out) {
  __shared__ int4 tile[threads];
  __pipeline_memcpy_async(&tile[threadIdx.x], in, 16, 4 * (threadIdx.x % 5));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  const int4 mine = tile[threadIdx.x];
  out[threadIdx.x] = mine.x + mine.y + mine.z + mine.w;
}

template <Mistake mistake>
__global__ void by_pipeline(const int* in, int* out) {
  __shared__ int tile[2][threads];
  const int x = threadIdx.x;
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  int sum = 0;
  for (int i = 0, next = 0; i < tiles; ++i) {
    for (; next < tiles && next < i + 2; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[next % 2][x], in + next * threads + x, cuda::aligned_size_t<4>(4), pipe);  // by pipeline
      pipe.producer_commit();
    }
    if (mistake != no_wait) pipe.consumer_wait();
    __syncthreads();
    sum += tile[i % 2][(x + 1) % threads];
    __syncthreads();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

template <Mistake mistake>
__global__ void by_block_pipeline(const int* in, int* out) {
  __shared__ int tile[2][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int i = 0, next = 0; i < tiles; ++i) {
    for (; next < tiles && next < i + 2; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[next % 2], in + next * threads, sizeof(int) * threads, pipe);  // by block pipeline
      pipe.producer_commit();
    }
    if (mistake != no_wait) pipe.consumer_wait();
    sum += tile[i % 2][(threadIdx.x + 1) % threads];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// The first warp copies, the second one adds.
__global__ void by_roles(const int* in, int* out) {
  __shared__ int tile[2][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const cg::thread_block block = cg::this_thread_block();
  const bool copies = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (copies) {
      pipe.producer_acquire();
      for (int x = threadIdx.x; x < threads; x += 32)
        cuda::memcpy_async(&tile[i % 2][x], in + i * threads + x, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += tile[i % 2][threadIdx.x - 31];
      pipe.consumer_release();
    }
  }
  out[threadIdx.x] = sum;
}

template <Mistake mistake>
__global__ void by_barrier(const int* in, int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ int tile[threads];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, threads);
  if (mistake != no_barrier) __syncthreads();
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    cuda::memcpy_async(tile + threadIdx.x, in + i * threads + threadIdx.x, sizeof(int), barrier);  // by barrier
    Barrier::arrival_token token = barrier.arrive();  // arrives
    if (mistake != no_wait) barrier.wait(std::move(token));
    sum += tile[(threadIdx.x + 1) % threads];
    if (mistake != no_second_barrier) barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

// Half of the threads write, the other half reads.
template <Mistake mistake>
__global__ void by_half(const int*, int* out) {
  __shared__ int tile[threads];
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  if (threadIdx.x == 0) init(&full, threads / 2 + 1);
  __syncthreads();
  if (threadIdx.x >= threads / 2) {
    tile[threadIdx.x] = 7;  // writes
    if (mistake != no_barrier) (void)full.arrive();
  } else if (threadIdx.x == 0) {
    if (mistake != no_wait) full.arrive_and_wait();  // waits for all
    int sum = 0;
    for (int i = threads / 2; i < threads; ++i) sum += tile[i];  // reads
    *out = sum;
  }
}

__global__ void twice(const int* in, int* out) {
  __shared__ int tile[threads];
  __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x, 4);  // first copy
  __pipeline_memcpy_async(tile + threadIdx.x, in, 4);  // second copy
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void too_long(const int* in, int* out) {
  __shared__ int tile[threads];
  __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x + n - 1, 4);  // too long
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void beyond_tile(const int* in, int* out) {
  __shared__ int tile[threads];
  __pipeline_memcpy_async(tile + threadIdx.x + 1, in + threadIdx.x, 4);  // beyond
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const int* const mine = tile + threadIdx.x;
  out[threadIdx.x] = mine[1];  // again
}

int main(int, char** words) {
  int *in, *out, host[n], sums[threads] = {};
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof sums);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof sums);
  const auto run = [&](const char* name, void (*kernel)(const int*, int*)) {
    if (std::strcmp(words[1], name) == 0) kernel<<<1, threads>>>(in, out);
  };
  run("group", by_group<none>);
  run("group without wait", by_group<no_wait>);
  run("group without barrier", by_group<no_second_barrier>);
  run("two stages", by_two_stages);
  run("thread", by_thread<none>);
  run("thread without wait", by_thread<no_wait>);
  run("thread without barrier", by_thread<no_barrier>);
  run("own element", by_thread<only_first>);
  run("thread too early", by_thread<no_second_barrier>);
  run("zeros", with_zeros);
  run("pipeline", by_pipeline<none>);
  run("pipeline without wait", by_pipeline<no_wait>);
  run("block", by_block_pipeline<none>);
  run("block without wait", by_block_pipeline<no_wait>);
  run("roles", by_roles);
  run("barrier", by_barrier<none>);
  run("barrier without wait", by_barrier<no_wait>);
  run("barrier without barrier", by_barrier<no_barrier>);
  run("barrier too early", by_barrier<no_second_barrier>);
  run("half", by_half<none>);
  run("half without wait", by_half<no_wait>);
  run("half without arrival", by_half<no_barrier>);
  run("twice", twice);
  run("too long", too_long);
  run("beyond tile", beyond_tile);
  cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", sums[0], sums[1], sums[threads - 1]);
  cudaFree(in);
  cudaFree(out);
}
