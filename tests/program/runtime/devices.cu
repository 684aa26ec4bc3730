#include <cstdio>
#include <cstring>
#include <thread>

// Programs for two devices, run with --gpus 2.

constexpr int n = 256;
__device__ int factor = 1;
__constant__ int offset;

__global__ void add(int* x, const int* y) { x[threadIdx.x] += y[threadIdx.x]; }  // adds
__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }  // fills
__global__ void scale(int* x) {
  x[threadIdx.x] = x[threadIdx.x] * factor + offset;
  __syncthreads();
  if (threadIdx.x == 0) factor += 10;
}

int *a, *b, host[n];

const char* enable_both() {
  cudaSetDevice(0);
  cudaDeviceEnablePeerAccess(1, 0);
  const char* again = cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0));
  cudaSetDevice(1);
  cudaDeviceEnablePeerAccess(0, 0);
  cudaSetDevice(0);
  return again;
}

void show(const char* what, const int* x) {
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDefault);
  printf("%s %d %d\n", what, host[0], host[n - 1]);
}

// Makes no mistake: copies, peer access, managed and pinned memory.
void right() {
  int count = 0, can = 0, self = 1;
  cudaGetDeviceCount(&count);
  cudaDeviceCanAccessPeer(&can, 0, 1);
  cudaDeviceCanAccessPeer(&self, 1, 1);
  printf("%d %d %d %s\n", count, can, self, enable_both());
  add<<<1, n>>>(a, b);  // of a peer
  show("sum", a);
  cudaDeviceDisablePeerAccess(1);
  cudaMemcpyPeer(b, 1, a, 0, sizeof host);
  cudaSetDevice(1);
  fill<<<1, n>>>(b, 7);
  cudaMemcpy(a, b, sizeof host, cudaMemcpyDeviceToDevice);  // in both default streams
  cudaSetDevice(0);
  show("copied", a);
  cudaPointerAttributes of_b, of_pinned;
  cudaPointerGetAttributes(&of_b, b);
  int *managed, *pinned;
  cudaMallocManaged(&managed, sizeof host);
  cudaMallocHost(&pinned, sizeof host);
  cudaPointerGetAttributes(&of_pinned, pinned);
  printf("attributes %d %d\n", of_b.device, of_pinned.type == cudaMemoryTypeHost);
  cudaSetDevice(1);
  fill<<<1, n>>>(managed, 3);
  fill<<<1, n>>>(pinned, 4);
  cudaDeviceSynchronize();
  printf("everywhere %d %d\n", managed[n - 1], pinned[n - 1]);
  cudaFree(managed);
  cudaFreeHost(pinned);
  cudaSetDevice(0);
}

// Streams of two devices, with or without an event between them.
void streams(bool has_event) {
  enable_both();
  cudaStream_t first, second;
  cudaEvent_t filled;
  cudaStreamCreate(&first);
  cudaEventCreate(&filled);
  cudaSetDevice(1);
  cudaStreamCreate(&second);
  cudaSetDevice(0);
  fill<<<1, n, 0, first>>>(a, 5);
  cudaEventRecord(filled, first);
  cudaSetDevice(1);
  if (has_event) cudaStreamWaitEvent(second, filled, 0);
  add<<<1, n, 0, second>>>(b, a);
  cudaMemcpyAsync(host, b, sizeof host, cudaMemcpyDeviceToHost, second);
  cudaStreamSynchronize(second);
  printf("%d\n", host[1]);
  cudaStreamSynchronize(first);
  cudaStreamDestroy(second);
  cudaSetDevice(0);
  cudaStreamDestroy(first);
  cudaEventDestroy(filled);
}

// The default streams of two devices do not wait for each other.
void default_streams(bool waits) {
  enable_both();
  fill<<<1, n>>>(a, 5);
  if (waits) cudaDeviceSynchronize();
  cudaSetDevice(1);
  if (!waits) cudaDeviceSynchronize();  // of the other device
  add<<<1, n>>>(b, a);
  show("sum", b);
  cudaSetDevice(0);
  cudaDeviceSynchronize();
}

void destroyed_stream() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  fill<<<1, n, 0, stream>>>(a, 9);
  cudaStreamDestroy(stream);
  cudaDeviceSynchronize();
  show("after", a);
}

void variables() {
  const int values[] = {2, 3}, offsets[] = {100, 200};
  for (int i = 0; i < 2; ++i) {
    cudaSetDevice(i);
    cudaMemcpyToSymbol(factor, &values[i], sizeof(int));
    cudaMemcpyToSymbol(offset, &offsets[i], sizeof(int));
  }
  for (int i = 0; i < 2; ++i) {
    cudaSetDevice(i);
    scale<<<1, n>>>(i == 0 ? a : b);
  }
  for (int i = 0; i < 2; ++i) {
    int now = 0;
    cudaSetDevice(i);
    cudaMemcpyFromSymbol(&now, factor, sizeof(int));
    show(now == 12 ? "twelve" : now == 13 ? "thirteen" : "wrong", i == 0 ? a : b);
  }
}

void threads() {
  std::thread other([] {
    cudaSetDevice(1);
    fill<<<1, n>>>(b, 8);
    cudaDeviceSynchronize();
  });
  other.join();
  int current = -1;
  cudaGetDevice(&current);
  show(current == 0 ? "still 0" : "wrong", b);
}

void reset() {
  cudaSetDevice(1);
  cudaDeviceReset();
  cudaSetDevice(0);
  show("kept", a);
  cudaFree(a);
}

void wrong_stream() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaSetDevice(1);
  fill<<<1, n, 0, stream>>>(a, 1);  // wrong stream
  cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, stream);
  printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
  cudaStreamDestroy(stream);
}

// Copies memory of the other device: in the default stream, a copy waits for the work of that device.
void other_device() {
  cudaStream_t stream;
  cudaSetDevice(1);
  cudaStreamCreate(&stream);
  fill<<<1, n, 0, stream>>>(b, 6);
  cudaSetDevice(0);
  show("copied", b);
  cudaSetDevice(1);
  cudaStreamDestroy(stream);
  cudaSetDevice(0);
}

void wrong_memset() {
  cudaMemset(b, 0, sizeof host);  // wrong device
}

void wrong_event() {
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaSetDevice(1);
  cudaEventRecord(event);  // wrong event
  cudaEventDestroy(event);
}

int main(int, char** words) {
  const auto is = [&](const char* word) { return std::strcmp(words[1], word) == 0; };
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaSetDevice(0);
  cudaMalloc(&a, sizeof host);
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  if (is("third")) return cudaSetDevice(2);  // a third
  cudaSetDevice(1);
  cudaMalloc(&b, sizeof host);  // on device 1
  cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
  cudaSetDevice(0);
  if (is("right")) right();
  if (is("event")) streams(true);
  if (is("no event")) streams(false);
  if (is("wait")) default_streams(true);
  if (is("no wait")) default_streams(false);
  if (is("destroyed")) destroyed_stream();
  if (is("variables")) variables();
  if (is("threads")) threads();
  if (is("reset")) return reset(), 0;
  if (is("stream")) wrong_stream();
  if (is("recording")) wrong_event();
  if (is("other")) other_device();
  if (is("memset")) wrong_memset();
  if (is("peer")) add<<<1, n>>>(a, b);  // launches
  if (is("peer")) cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);  // of another device than the current one
}
