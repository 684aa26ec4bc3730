#include <cuda/atomic>
#include <math_constants.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int n = 1024;
__managed__ int total;

__global__ void number(int* x, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) x[i] = i;
}
__global__ void number_floats(float* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void increase(int* x) { x[threadIdx.x] += 1; }
__global__ void add_to(int& sum, const int& step) { atomicAdd(&sum, step); }
__global__ void count_up(int* x) { atomicAdd_system(x, 1); }

void free_and_allocate() {
  constexpr int many = 1 << 20;
  int last;
  for (int round = 0; round < 2; ++round) {
    int *first, *second;
    cudaMalloc(&first, many * sizeof(int));
    cudaMalloc(&second, many * sizeof(int));
    number<<<many / 256, 256>>>(first, many);
    number<<<many / 256, 256>>>(second, many);
    cudaMemcpy(&last, second + many - 1, sizeof last, cudaMemcpyDeviceToHost);
    cudaFree(first), cudaFree(second);
  }
  printf("%d\n", last);
}

void set_what_the_host_reads() {
  int *pinned, *managed;
  cudaMallocHost(&pinned, n * sizeof(int));
  cudaMallocManaged(&managed, n * sizeof(int));
  memset(pinned, 1, n * sizeof(int)), memset(managed, 1, n * sizeof(int));
  cudaMemset(pinned, 0, n * sizeof(int));
  pinned[3] += 1;
  cudaMemset2D(managed, 64, 0, 64, n / 16);
  managed[3] += 2;
  printf("%d %d\n", pinned[3], managed[3]);
  cudaFreeHost(pinned), cudaFree(managed);
}

void copy_quarters() {
  int host[n] = {}, *device;
  cudaMalloc(&device, n * sizeof(int));
  const size_t chunk = n * sizeof(int) / 4;
  for (int i = 0; i < n; i += n / 4) {
    cudaMemcpy(device + i, host + i, chunk, cudaMemcpyHostToDevice);
    increase<<<1, n / 4>>>(device + i);
    cudaMemcpy(host + i, device + i, chunk, cudaMemcpyDeviceToHost);
  }
  printf("%d\n", host[n - 1]);
  cudaFree(device);
}

void set_what_nobody_reads() {
  float host[n], *floats;
  int *integers;
  cudaMalloc(&floats, n * sizeof(float)), cudaMalloc(&integers, n * sizeof(int));
  cudaMemset(floats, 15, n * sizeof(float));
  cudaMemset(integers, 15, n * sizeof(int));
  increase<<<1, n>>>(integers);
  number_floats<<<1, n>>>(floats);
  cudaMemcpy(host, floats, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g\n", host[9]);
  cudaFree(floats), cudaFree(integers);
}

struct Buffer {
  int* data;
  bool is_owner = true;
  Buffer() { cudaMalloc(&data, n * sizeof(int)); }
  Buffer(const Buffer& other) : data(other.data), is_owner(false) { cudaGetLastError(); }
  ~Buffer() {
    cudaDeviceSynchronize();
    if (is_owner) cudaFree(data);
  }
};
__global__ void number_buffer(Buffer buffer) { buffer.data[threadIdx.x] = threadIdx.x; }

void pass_an_owner() {
  Buffer buffer;
  number_buffer<<<1, n>>>(buffer);
  int host[n];
  cudaMemcpy(host, buffer.data, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host[7]);
}

void refer_to_managed_memory() {
  int* step;
  cudaMallocManaged(&step, sizeof(int));
  *step = 3;
  add_to<<<2, 32>>>(total, *step);
  cudaDeviceSynchronize();
  printf("%d\n", total);
  cudaFree(step);
}

void count_with_the_host() {
  int* counter;
  cudaMallocManaged(&counter, sizeof(int));
  *counter = 0;
  count_up<<<4, 32>>>(counter);
  for (int i = 0; i < 100; ++i) {
    int expected = *counter, seen;
    while ((seen = __sync_val_compare_and_swap(counter, expected, expected + 1)) != expected) expected = seen;
  }
  cudaDeviceSynchronize();
  printf("%d\n", *counter);
  cudaFree(counter);
}

struct Mailbox {
  cuda::atomic<int, cuda::thread_scope_system> asked, answered;
  int question, answer;
};
__global__ void answer(Mailbox* box) {
  while (box->asked.load(cuda::memory_order_acquire) == 0) {}
  box->answer = 2 * box->question;
  box->answered.store(1, cuda::memory_order_release);
}
void ask_a_running_kernel() {
  Mailbox* box;
  cudaHostAlloc(&box, sizeof *box, cudaHostAllocMapped);
  box->asked.store(0);
  box->answered.store(0);
  answer<<<1, 1>>>(box);
  box->question = 21;
  box->asked.store(1, cuda::memory_order_release);
  while (box->answered.load(cuda::memory_order_acquire) == 0) {}
  cuda::std::atomic<int> result{box->answer};
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst);
  printf("%d\n", result.fetch_add(1));
  cudaDeviceSynchronize();
  cudaFreeHost(box);
}

__global__ void reverse_in_shared_memory(int* x, int count) {
  extern __shared__ int shared[];
  for (int i = threadIdx.x; i < count; i += blockDim.x) shared[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) x[i] = shared[count - 1 - i];
}
void use_all_shared_memory() {
  constexpr int bytes = 163 * 1024, count = bytes / sizeof(int);
  int *x, first;
  cudaMalloc(&x, bytes);
  number<<<(count + 255) / 256, 256>>>(x, count);
  cudaFuncSetAttribute(reverse_in_shared_memory, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  reverse_in_shared_memory<<<1, 256, bytes>>>(x, count);
  cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
  printf("%d\n", first);
  cudaFree(x);
}

template <class T> __constant__ T weights[4];
template <class T> __device__ T sum_of_weights;
template <class T> __global__ void add_weights() {
  for (int i = 0; i < 4; ++i) sum_of_weights<T> += weights<T>[i];
}
void fill_a_template() {
  const float host[4] = {1, 2, 3, 4};
  float sum;
  cudaMemcpyToSymbol(weights<float>, host, sizeof host);
  add_weights<float><<<1, 1>>>();
  cudaMemcpyFromSymbol(&sum, sum_of_weights<float>, sizeof sum);
  printf("%g\n", sum);
}

struct Event {
  cudaEvent_t handle;
  Event() { cudaEventCreate(&handle); }
  ~Event() { cudaEventDestroy(handle); }
};
Event recorded() {
  Event event;
  cudaEventRecord(event.handle);
  return event;
}
void return_an_owner() {
  const Event event = recorded();
  printf("%d\n", cudaEventSynchronize(event.handle));
}

// A kernel that serves requests until it is told to stop; the host sleeps, asks the runtime, and reads the answer.
struct Requests {
  volatile int request, answer, is_paused;
  int squares[32];
};

__global__ void serve(Requests* all) {
  __shared__ int wanted;
  for (int last = 0;; last = wanted) {
    __syncthreads();
    if (threadIdx.x == 0) {
      int request;
      while ((request = all->request) == last || all->is_paused) {}
      wanted = request;
      __threadfence_system();
    }
    __syncthreads();
    if (wanted < 0) return;
    all->squares[threadIdx.x] = wanted * threadIdx.x * threadIdx.x;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) all->answer = wanted;
  }
}

void ask_a_server(bool stops) {
  Requests* all;
  float* other;
  cudaStream_t stream, beside;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&beside);
  cudaHostAlloc(&all, sizeof *all, cudaHostAllocMapped);
  cudaMalloc(&other, 4000);
  *all = Requests{};
  serve<<<1, 32, 0, stream>>>(all);
  std::vector<int> sums(1);
  for (int i = 1; i <= 3; ++i) {
    usleep(100000);
    if (cudaStreamQuery(stream) != cudaErrorNotReady) return;
    cudaMemsetAsync(other, 0, 4000, beside);
    all->request = i;
    const auto asked = std::chrono::steady_clock::now();
    while (all->answer != i)
      if (std::chrono::steady_clock::now() - asked > std::chrono::seconds(20)) return;
    sums.push_back(sums.back() + all->squares[2]);
  }
  if (stops) all->request = -1;
  printf("%d\n", sums.back());
  fflush(stdout);
  if (!stops) return;
  cudaDeviceSynchronize();
  cudaFreeHost(all);
  cudaFree(other);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(beside);
}
void ask_a_server_that_stops() { ask_a_server(true); }
void ask_a_server_that_goes_on() { ask_a_server(false); }

__device__ volatile int generation;
__device__ int arrived;

__device__ void wait_for_the_grid() {
  __syncthreads();
  if (threadIdx.x == 0) {
    const int before = generation;
    __threadfence();
    if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
      arrived = 0;
      __threadfence();
      generation = before + 1;
    } else {
      while (generation == before) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void pass_on(int* values, int* sum) {
  values[blockIdx.x] = 1;
  wait_for_the_grid();
  if (threadIdx.x == 0) atomicAdd(sum, values[(blockIdx.x + 1) % gridDim.x]);
}

// Launches as many blocks as the occupancy calculator promises to run at once.
void wait_for_resident_blocks() {
  constexpr int threads = 512;
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  int each = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, pass_on, threads, 0);
  const int blocks = each * device.multiProcessorCount;
  int *values, *sum, copy = 0;
  cudaMalloc(&values, blocks * sizeof(int)), cudaMalloc(&sum, sizeof(int)), cudaMemset(sum, 0, sizeof(int));
  pass_on<<<blocks, threads>>>(values, sum);
  cudaMemcpy(&copy, sum, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d\n", copy - blocks);
  cudaFree(values), cudaFree(sum);
}

__global__ void add(const float* a, const float* b, float* c, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}

// Page-locks memory that begins and ends anywhere in a page. A large launch saves what it may write.
void lock_pages_of_the_heap() {
  for (const int count : {5, 1'000'000}) {
    std::vector<float> a(count, 1), b(count, 2), c(count);
    for (auto* v : {&a, &b, &c}) cudaHostRegister(v->data(), count * sizeof(float), cudaHostRegisterMapped);
    add<<<(count + 255) / 256, 256>>>(a.data(), b.data(), c.data(), count);
    cudaDeviceSynchronize();
    std::printf("%g ", c[count - 1]);
    for (auto* v : {&a, &b, &c}) cudaHostUnregister(v->data());
  }
}

// Uses constants of CUDA's header, on the host and in a kernel.
__global__ void store_constants(double* out) { out[0] = CUDART_PI, out[1] = CUDART_INF_F, out[2] = CUDART_PIO4_HI; }
void use_constants() {
  double *device, host[3];
  cudaMalloc(&device, sizeof host);
  store_constants<<<1, 1>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%.3f %g %.3f %.3f\n", host[0], host[1], host[2], CUDART_PI_F);
  cudaFree(device);
}

// Changes a part of an array, as its launch says, and copies all of it.
void number_a_half() {
  int *device, host[n] = {};
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  number<<<2, 256>>>(device, n / 2);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host[n / 2 - 1], host[n - 1]);
  cudaFree(device);
}

int main(int, char** words) {
  const struct { const char* name; void (*function)(); } all[] = {
      {"free", free_and_allocate}, {"set", set_what_the_host_reads}, {"quarters", copy_quarters},
      {"unread", set_what_nobody_reads}, {"owner", pass_an_owner}, {"reference", refer_to_managed_memory},
      {"system", count_with_the_host}, {"mailbox", ask_a_running_kernel}, {"shared", use_all_shared_memory},
      {"template", fill_a_template}, {"server", ask_a_server_that_stops}, {"endless", ask_a_server_that_goes_on},
      {"returned", return_an_owner}, {"resident", wait_for_resident_blocks},
      {"registered", lock_pages_of_the_heap}, {"constants", use_constants}, {"half", number_a_half}};
  for (const auto& one : all)
    if (std::strcmp(one.name, words[1]) == 0) one.function();
}
