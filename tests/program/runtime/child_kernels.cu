#include <cstdio>
#include <cstring>

__device__ int order[8], place;

__global__ void note(int value) { order[place++] = value; }

__global__ void twice(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

__global__ void past_the_end(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) x[i] = i;  // past the end
}

__global__ void parent(int* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] = i;
  __syncthreads();
  if (i == 0) twice<<<(n + 31) / 32, 32>>>(x, n);
}

__global__ void wrong_parent(int* x, int n) {
  past_the_end<<<1, 128>>>(x, n);  // launches
}

__global__ void gives_its_own() {
  int own[2] = {1, 2};
  twice<<<1, 2>>>(own, 2);  // local
}

__global__ void gives_shared() {
  __shared__ int own[2];
  own[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) twice<<<1, 2>>>(own, 2);  // shared
}

__global__ void too_many() { note<<<1, 2048>>>(1); }  // too large

__global__ void in_order() {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(3);
  note<<<1, 1>>>(1);
  note<<<1, 1, 0, cudaStreamFireAndForget>>>(2);
}

__global__ void nested(int depth) {
  if (depth == 0) return;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  nested<<<1, 1, 0, stream>>>(depth - 1);  // one deeper
  cudaStreamDestroy(stream);
  if (cudaGetLastError() == cudaSuccess) printf("%d ", depth);
}

// Each thread of `many` launches a kernel with other arguments.
template <int factor>
__global__ void sum_up(int* sum, int parent, int thread) {
  atomicAdd(sum, factor * (10 * parent + thread));
}
__global__ void many(int* sum) { sum_up<2><<<2, 2>>>(sum, blockIdx.x, threadIdx.x); }

int main(int, char** words) {
  const auto is = [&](const char* word) { return std::strcmp(words[1], word) == 0; };
  constexpr int n = 100;
  int *x, result[n] = {};
  cudaMalloc(&x, n * sizeof(int));
  cudaMemset(x, 0, n * sizeof(int));
  if (is("twice")) parent<<<1, 128>>>(x, n);
  if (is("many")) many<<<2, 4>>>(x);
  if (is("past")) wrong_parent<<<1, 1>>>(x, n);
  if (is("local")) gives_its_own<<<1, 1>>>();
  if (is("shared")) gives_shared<<<1, 2>>>();
  if (is("large")) too_many<<<1, 1>>>();
  if (is("order")) in_order<<<1, 1>>>();
  if (is("nested")) nested<<<1, 1>>>(3);
  if (is("endless")) nested<<<1, 1>>>(100);
  cudaMemcpy(result, x, n * sizeof(int), cudaMemcpyDeviceToHost);
  if (is("order")) cudaMemcpyFromSymbol(result, order, 3 * sizeof(int));
  printf("%d %d %d\n", result[0], result[1], result[2]);
  cudaFree(x);
}
