#include <cuda/atomic>
#include <cuda/semaphore>
#include <cstdio>
#include <cstring>
#include <new>

// Blocks that hand data to each other by atomics and fences, right and wrong.

constexpr int items = 3000, slots = 64, late = 2000;
using Counter = cuda::atomic<int, cuda::thread_scope_device>;
template <class T> T* on_device(int count) { T* p; cudaMalloc(&p, count * sizeof(T)); return p; }

// A ring of slots between one block that puts and one that takes.
struct Queue {
  Counter put_up_to{0}, taken_up_to{0};
  int slots[::slots];
  __device__ void await_slot(int i) {
    while (i - taken_up_to.load(cuda::memory_order_acquire) >= ::slots) {}
  }
  __device__ void put(int i, int value) {
    await_slot(i);
    slots[i % ::slots] = value;
    put_up_to.store(i + 1, cuda::memory_order_release);
  }
  __device__ int take(int i) {
    while (put_up_to.load(cuda::memory_order_acquire) <= i) {}
    const int value = slots[i % ::slots];
    taken_up_to.store(i + 1, cuda::memory_order_release);
    return value;
  }
};
__global__ void construct(Queue* queues) {
  for (int i = 0; i < 2; ++i) new (queues + i) Queue;
}
// The second block passes on the indices of the data alone, and does not read the data.
__global__ void pass_on(Queue* queues, int* data, int* sum) {
  if (blockIdx.x == 0)
    for (int i = 0; i < items; ++i) {
      data[i] = i;
      queues[0].put(i, i);
    }
  if (blockIdx.x == 1)
    for (int i = 0; i < items; ++i) queues[1].put(i, queues[0].take(i));
  if (blockIdx.x == 2)
    for (int i = 0; i < items; ++i) *sum += data[queues[1].take(i)];
}
__global__ void publish_too_early(Queue* queue, int*, int* sum) {
  if (blockIdx.x == 0)
    for (int i = 0; i < items; ++i) {
      if (i < late) {
        queue->put(i, i);
        continue;
      }
      queue->await_slot(i);
      queue->put_up_to.store(i + 1, cuda::memory_order_release);
      queue->slots[i % slots] = i;  // comes after it is published
    }
  if (blockIdx.x == 1)
    for (int i = 0; i < items; ++i) *sum += queue->take(i);
}
__global__ void publish_relaxed(Queue* queue, int* data, int* sum) {
  if (blockIdx.x == 0) {
    data[0] = 1;  // is published
    queue->put_up_to.store(1, cuda::memory_order_relaxed);
  }
  if (blockIdx.x == 1) {
    while (queue->put_up_to.load(cuda::memory_order_relaxed) == 0) {}
    *sum = data[0];
  }
}
template <void kernel(Queue*, int*, int*)> void queue_up() {
  Queue* const queues = on_device<Queue>(2);
  int *const data = on_device<int>(items), *const sum = on_device<int>(1), host;
  construct<<<1, 1>>>(queues);
  cudaMemset(sum, 0, sizeof *sum);
  kernel<<<3, 1>>>(queues, data, sum);
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  cudaFree(queues), cudaFree(data), cudaFree(sum);
}

// The block that takes the last ticket adds up what the others have stored.
__device__ unsigned tickets;
template <class T, bool has_fence> __global__ void add_up(T* sums) {
  sums[blockIdx.x] = blockIdx.x;  // stores a partial sum
  if (has_fence) __threadfence();
  if (atomicInc(&tickets, gridDim.x) < gridDim.x - 1) return;
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += sums[i];
  sums[0] = sum;
  tickets = 0;  // begins again
}
template <class T, bool has_fence> void reduce() {
  int* const sums = on_device<int>(slots);
  int host;
  add_up<T, has_fence><<<slots, 1>>>(sums);
  cudaMemcpy(&host, sums, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  cudaFree(sums);
}

// Two blocks at a time have acquired `places`, and one of them has acquired `lock`.
using Places = cuda::counting_semaphore<cuda::thread_scope_device, 2>;
using Lock = cuda::binary_semaphore<cuda::thread_scope_device>;
struct Guarded {
  Places places{2};
  Lock lock{1};
  int sum = 0;
};
__global__ void construct(Guarded* guarded) { new (guarded) Guarded; }
__global__ void add_in_turn(Guarded* guarded) {
  guarded->places.acquire();
  guarded->lock.acquire();
  guarded->sum += 1;
  guarded->lock.release();
  guarded->places.release();
}
void take_turns() {
  Guarded* const guarded = on_device<Guarded>(1);
  int sum;
  construct<<<1, 1>>>(guarded);
  add_in_turn<<<8, 1>>>(guarded);
  cudaMemcpy(&sum, &guarded->sum, sizeof sum, cudaMemcpyDeviceToHost);
  printf("%d\n", sum);
  cudaFree(guarded);
}

int main(int, char** words) {
  const struct { const char* name; void (*function)(); } all[] = {
      {"pass on", queue_up<pass_on>}, {"too early", queue_up<publish_too_early>},
      {"relaxed", queue_up<publish_relaxed>},
      {"fence", reduce<volatile int, true>}, {"volatile", reduce<volatile int, false>},
      {"fence after plain", reduce<int, true>}, {"plain", reduce<int, false>},
      {"semaphores", take_turns}};
  for (const auto& one : all)
    if (std::strcmp(one.name, words[1]) == 0) one.function();
}
