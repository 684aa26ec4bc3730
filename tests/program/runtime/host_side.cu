#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

constexpr int n = 256;
__device__ int level = 3;
__constant__ float weights[4];
__device__ int table[n];

__global__ void fill(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void twice(const int* in, int* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
__global__ void weigh(float* out) { out[threadIdx.x] *= weights[threadIdx.x % 4]; }
__global__ void speak() { printf("thread %d\n", threadIdx.x); }
__global__ void raise_flag(volatile int* flag, int* data) {
  data[0] = 7;
  __threadfence_system();
  flag[0] = 1;
}
struct Pair { int* first; int length; };
__global__ void follow(const Pair* pair, int* out) { out[0] = pair->first[3]; }

template <class T> T* on_device(int count) { T* p; cudaMalloc(&p, count * sizeof(T)); return p; }
template <class T> T* pinned(int count) { T* p; cudaMallocHost(&p, count * sizeof(T)); return p; }

void read_too_early() {
  int *host = pinned<int>(n), *device = on_device<int>(n);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  fill<<<1, n, 0, stream>>>(device, 4);
  cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
  printf("%d\n", host[5]);  // reads too early
  cudaStreamSynchronize(stream);
  printf("%d\n", host[5]);
  cudaStreamDestroy(stream), cudaFree(device), cudaFreeHost(host);
}

void refill_too_early() {
  int *host = pinned<int>(n), *device = on_device<int>(n);
  memset(host, 0, n * sizeof(int));
  cudaMemcpyAsync(device, host, n * sizeof(int), cudaMemcpyHostToDevice);
  for (int i = 0; i < n; ++i)
    host[i] = i;  // refills too early
  cudaDeviceSynchronize();
  cudaFree(device), cudaFreeHost(host);
}

void refill_other_half() {
  int *host = pinned<int>(n), *device = on_device<int>(n);
  memset(host, 0, n * sizeof(int));
  cudaMemcpyAsync(device, host + n / 2, n / 2 * sizeof(int), cudaMemcpyHostToDevice);
  for (int i = 0; i < n; ++i)
    host[i] = i;  // comes to the second half
  cudaDeviceSynchronize();
  cudaFree(device), cudaFreeHost(host);
}

void fail_too_early() {
  int *host = pinned<int>(n), *device = on_device<int>(n);
  host[5] = 0;
  fill<<<1, n>>>(device, 4);
  cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost);
  if (host[5] != 4)  // compares before the copy
    exit(3);
}

void managed_too_early() {
  int* data;
  cudaMallocManaged(&data, n * sizeof(int));
  data[0] = 1;
  fill<<<1, n>>>(data, 4);
  const int sum = data[0] + 1;  // reads managed memory
  cudaDeviceSynchronize();
  printf("%d %d\n", sum, data[0]);
  cudaFree(data);
}

void destroyed_too_early() {
  int *host = pinned<int>(n), *device = on_device<int>(n);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  fill<<<1, n, 0, stream>>>(device, 4);
  cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamDestroy(stream);
  printf("%d\n", host[5]);  // reads after destroying
  cudaFree(device), cudaFreeHost(host);
}

void halves() {
  int *host = pinned<int>(n), *device = on_device<int>(n);
  fill<<<1, n>>>(device, 4);
  cudaMemcpyAsync(host, device, n / 2 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = n / 2; i < n; ++i) host[i] = i;
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventRecord(event);
  cudaMemcpyAsync(host + n / 2, device, n / 2 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaEventSynchronize(event);
  for (int i = 0; i < n / 2; ++i) host[i] = -host[i];
  while (cudaStreamQuery(0) == cudaErrorNotReady) {
  }
  printf("%d %d\n", host[0], host[n - 1]);
  cudaEventDestroy(event), cudaFree(device), cudaFreeHost(host);
}

void flag_of_a_kernel() {
  volatile int* flag = pinned<int>(1);
  int* data = pinned<int>(1);
  *flag = 0;
  raise_flag<<<1, 1>>>(flag, data);
  while (*flag == 0) {
  }
  printf("%d\n", data[0]);
  cudaDeviceSynchronize();
  cudaFreeHost((void*)flag), cudaFreeHost(data);
}

__global__ void raise_flag_late(volatile int* flag, int* data) {
  __threadfence_system();
  data[0] = 7;
  flag[0] = 1;
}
__global__ void serve_late(volatile int* flag, long long* data) {
  for (int i = 1; i <= 3; ++i) {
    while (flag[1] != i) {
    }
    __threadfence_system();
    data[0] = i;
    flag[0] = i;
  }
}
void flag_before_its_data() {
  int* flag = pinned<int>(2);
  int* data = pinned<int>(1);
  *flag = 0;
  raise_flag_late<<<1, 1>>>(flag, data);
  while (*(volatile int*)flag == 0) {
  }
  printf("%d\n", data[0]);  // reads what no fence orders
  cudaDeviceSynchronize();
  cudaFreeHost(flag), cudaFreeHost(data);
}
void answers_before_their_data() {
  volatile int* flag = pinned<int>(2);
  long long* data = pinned<long long>(1);
  flag[0] = flag[1] = 0;
  serve_late<<<1, 1>>>(flag, data);
  for (int i = 1; i <= 3; ++i) {
    flag[1] = i;
    while (flag[0] != i) {
    }
    printf("%d\n", ((int*)data)[1]);  // reads an answer too early
  }
  cudaDeviceSynchronize();
  cudaFreeHost((void*)flag), cudaFreeHost(data);
}

void touch_variables() {
  level = 4;  // assigns to level
  printf("%g\n", weights[1]);  // reads weights
  int host[n] = {};
  cudaMemcpy(table, host, sizeof host, cudaMemcpyHostToDevice);  // copies to a name
  fill<<<1, n>>>(table, 1);  // gives a name
  void* address;
  cudaGetSymbolAddress(&address, table);
  cudaMemcpy(address, host, sizeof host, cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
}

void ignore_errors() {
  int* p = nullptr;
  cudaMalloc(&p, size_t(1) << 60);  // ignores an error
  if (cudaMalloc(&p, size_t(1) << 60) != cudaSuccess) puts("as expected");
  const cudaError_t error = cudaSetDevice(17);
  printf("%d\n", error != cudaSuccess);
  cudaGetLastError();
  cudaMalloc(&p, size_t(1) << 60);
  if (cudaGetLastError() != cudaSuccess) puts("as expected");
}

void refused_launch() {
  int* device = on_device<int>(n);
  fill<<<1, 2048>>>(device, 1);  // launches too many
  cudaFree(device);
}

void lose_output() {
  speak<<<1, 3>>>();  // speaks to nobody
}

void leave_things() {
  for (int i = 0; i < 3; ++i) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);  // leaks streams
  }
  cudaEvent_t event;
  cudaEventCreate(&event);  // leaks an event
}

void count_elements() {
  std::vector<int> host(n, 1);
  int* device = on_device<int>(n);
  cudaMemcpy(device, host.data(), n, cudaMemcpyHostToDevice);  // counts elements
  twice<<<1, n>>>(device, device);
  cudaDeviceSynchronize();
  cudaFree(device);
}

void set_floats() {
  float* device = on_device<float>(n);
  cudaMemset(device, 1, n * sizeof(float));  // sets bytes
  weigh<<<1, n>>>(device);
  cudaDeviceSynchronize();
  cudaFree(device);
}

void copy_set_floats() {
  float *device = on_device<float>(n), host[n];
  cudaMemset(device, 1, n * sizeof(float));  // sets bytes that are copied
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g\n", host[0]);
  cudaFree(device);
}

void use_freed() {
  int* device = on_device<int>(n);
  int* host = pinned<int>(n);
  cudaFree(device);
  fill<<<1, n>>>(device, 1);
  cudaDeviceSynchronize();
  cudaFreeHost(host);
}

void shallow() {
  std::vector<int> values(n, 1);
  const Pair pair{values.data(), n};
  Pair* device = on_device<Pair>(1);
  int* out = on_device<int>(1);
  cudaMemcpy(device, &pair, sizeof pair, cudaMemcpyHostToDevice);  // copies a pointer
  follow<<<1, 1>>>(device, out);
  cudaDeviceSynchronize();
  cudaFree(device), cudaFree(out);
}

void host_pointer() {
  std::vector<int> values(n, 1);
  int* out = on_device<int>(n);
  twice<<<1, n>>>(values.data(), out);  // gives the host's memory
  cudaDeviceSynchronize();
  cudaFree(out);
}

void delete_registered() {
  int* block = new int[1024];
  cudaHostRegister(block, 4096, cudaHostRegisterDefault);
  delete[] block;  // deletes registered memory
}

void look_at(void* number) { printf("%d\n", *static_cast<int*>(number) == 4711); }
void ask_and_return() {
  int number = 0;
  cudaLaunchHostFunc(0, look_at, &number);  // gives a local variable
}
void outlive() {
  ask_and_return();
  cudaDeviceSynchronize();
}

__global__ void increase(int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) ++out[i];
}
void round_down() {
  std::vector<int> host(1000, 1);
  int* device = on_device<int>(1000);
  cudaMemcpy(device, host.data(), 1000 * sizeof(int), cudaMemcpyHostToDevice);
  increase<<<1000 / 128, 128>>>(device, 1000);  // rounds down
  cudaMemcpy(host.data(), device, 1000 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device);
  if (host.back() != 2) exit(1);
}

void allocate_elements() {
  int* device;
  cudaMalloc(&device, 4096);  // allocates elements
  increase<<<16, 256>>>(device, 4096);
  cudaDeviceSynchronize();
}

void forget_the_result() {
  int* device = on_device<int>(n);
  fill<<<1, n>>>(device, 1);
  cudaFree(device);
  exit(1);
}

__global__ void number_rows(int* out, int width) { out[blockIdx.x * width + threadIdx.x] = 1; }
void ignore_pitch() {
  int* device;
  size_t pitch;
  cudaMallocPitch(&device, &pitch, 50 * sizeof(int), 20);
  number_rows<<<20, 50>>>(device, 50);  // ignores the pitch
  cudaDeviceSynchronize();
  cudaFree(device);
}

void measure_a_launch() {
  int* device = on_device<int>(n);
  const auto begin = std::chrono::steady_clock::now();
  fill<<<1, n>>>(device, 1);
  const auto end = std::chrono::steady_clock::now();  // reads the clock
  cudaDeviceSynchronize();
  printf("%d\n", end > begin);
  cudaFree(device);
}

template <int function> void read_by_library() {
  int *host = pinned<int>(n), *other = pinned<int>(n);
  std::vector<int> copy(n);
  FILE* file = fopen("/dev/null", "w");
  fill<<<1, n>>>(host, 1);
  if (function == 0)
    printf("%d\n", memcmp(host, other, n * sizeof(int)));  // compares too early
  if (function == 1)
    printf("%d\n", std::equal(host, host + n, other));  // looks for a difference too early
  if (function == 2)
    copy = std::vector<int>(host, host + n);  // constructs too early
  if (function == 3)
    std::copy(host, host + n, copy.begin());  // copies too early
  if (function == 4)
    fwrite(host, sizeof(int), n, file);  // stores in a file too early
  fclose(file);
  cudaDeviceSynchronize();
  cudaFreeHost(host), cudaFreeHost(other);
}

__global__ void fill_rows(int* out, int width, int height, int first) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = first + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = 1;
}
void swap_the_grid() {
  int* device = on_device<int>(64 * 128);
  fill_rows<<<dim3(8, 4), dim3(16, 16)>>>(device, 64, 128, 0);  // swaps x and y
  cudaDeviceSynchronize();
  cudaFree(device);
}
void split_the_rows() {
  int *device = on_device<int>(64 * 128), last;
  fill_rows<<<dim3(4, 4), dim3(16, 16)>>>(device, 64, 128, 0);
  fill_rows<<<dim3(4, 4), dim3(16, 16)>>>(device, 64, 128, 64);
  cudaMemcpy(&last, device + 64 * 128 - 1, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(device);
  exit(9);
}

void wait_and_destroy() {
  int* device = on_device<int>(n);
  cudaStream_t working, waiting;
  cudaEvent_t done;
  cudaStreamCreate(&working), cudaStreamCreate(&waiting), cudaEventCreate(&done);
  fill<<<1, n, 0, working>>>(device, 1);
  cudaEventRecord(done, working);
  cudaStreamWaitEvent(waiting, done, 0);
  cudaStreamSynchronize(working);
  int first = 0;
  cudaMemcpy(&first, device, sizeof first, cudaMemcpyDeviceToHost);
  cudaStreamDestroy(waiting), cudaStreamDestroy(working), cudaEventDestroy(done);
  cudaFree(device);
}

__global__ void miss_barrier(int* out) {
  if (threadIdx.x < 24) {
    out[threadIdx.x] = 1;
    __syncthreads();  // keeps threads from the barrier
  }
}
__global__ void return_early(int* out) {
  if (threadIdx.x >= 24) return;
  out[threadIdx.x] = 1;
  __syncthreads();  // has lost threads
}
template <void kernel(int*)> void launch_with_64() {
  int* device;
  cudaHostAlloc(&device, 64 * sizeof(int), cudaHostAllocDefault);
  kernel<<<1, 64>>>(device);  // launches in a helper
  cudaDeviceSynchronize();
  cudaFreeHost(device);
}
__global__ void pass_the_end(int* out) { out[threadIdx.x + 1] = 1; }  // passes the end

// Copies from page-locked memory of a vector, in a page that other data shares.
template <bool frees> void registered_too_early() {
  std::vector<int> host(n, 1);
  int* device = on_device<int>(n);
  cudaHostRegister(host.data(), n * sizeof(int), cudaHostRegisterDefault);
  fill<<<1, n>>>(device, 4);
  cudaMemcpyAsync(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost);
  if (frees) host.push_back(2);  // frees what a copy writes
  printf("%d\n", host[5]);  // reads registered memory
  cudaDeviceSynchronize();
  if (!frees) cudaHostUnregister(host.data());
  cudaFree(device);
}

int main(int, char** words) {
  const struct { const char* name; void (*function)(); } all[] = {
      {"read", read_too_early}, {"refill", refill_too_early}, {"half", refill_other_half}, {"fail", fail_too_early},
      {"managed", managed_too_early},
      {"destroyed", destroyed_too_early}, {"halves", halves}, {"flag", flag_of_a_kernel},
      {"variables", touch_variables}, {"errors", ignore_errors}, {"launch", refused_launch}, {"output", lose_output},
      {"leave", leave_things}, {"count", count_elements}, {"floats", set_floats}, {"copied", copy_set_floats}, {"freed", use_freed},
      {"shallow", shallow}, {"host", host_pointer}, {"registered", delete_registered}, {"clock", measure_a_launch}, {"outlive", outlive},
      {"round", round_down}, {"forget", forget_the_result}, {"pitch", ignore_pitch},
      {"allocate", allocate_elements}, {"memcmp", read_by_library<0>}, {"equal", read_by_library<1>},
      {"vector", read_by_library<2>}, {"copy", read_by_library<3>}, {"fwrite", read_by_library<4>}, {"swap", swap_the_grid}, {"split", split_the_rows},
      {"wait", wait_and_destroy}, {"barrier", launch_with_64<miss_barrier>}, {"returned", launch_with_64<return_early>},
      {"late flag", flag_before_its_data}, {"late answers", answers_before_their_data}, {"helper", launch_with_64<pass_the_end>},
      {"locked", registered_too_early<false>}, {"moved", registered_too_early<true>}};
  for (const auto& one : all)
    if (std::strcmp(one.name, words[1]) == 0) one.function();
}
