// y = a * x + y, for n elements: a whole program, whose host side is missing.
//
// The kernel and main() are ready. Write saxpy_on_device(): all that the host
// does, in seven steps. x and y are memory of the host, which the device cannot
// reach. Most calls of the runtime return an error: give each to check(). A
// launch returns none, so ask for it.
//
//   gpulab run runtime_api.cu -- 1000   runs the program with n = 1000
//   gpulab check runtime_api.cu         checks it at several n
//   nvcc runtime_api.cu                 compiles it where there is a GPU

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < n) y[item] = a * x[item] + y[item];
}

// Ends the program if a call of the runtime has failed.
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error),
               cudaGetErrorString(error));
  std::exit(1);
}

void saxpy_on_device(int n, float a, const float* x, float* y) {
  // TODO 1: choose a device, the first there is (cudaSetDevice)
  // TODO 2: allocate memory for x and for y on the device (cudaMalloc)
  // TODO 3: copy both there (cudaMemcpy)
  // TODO 4: launch the kernel, with a thread for each element in blocks of 256
  // TODO 5: ask whether it was launched, and wait for it (cudaGetLastError,
  // cudaDeviceSynchronize)
  // TODO 6: copy the result into y
  // TODO 7: free the memory (cudaFree)
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i % 1000;
    y[i] = 7 * i % 512;
  }
  saxpy_on_device(n, 3, x.data(), y.data());

  double sum = 0, weighted = 0;
  for (int i = 0; i < n; ++i) {
    sum += y[i];
    weighted += (i % 97 + 1) * y[i];
  }
  std::printf("sum %.0f\n", sum);
  std::printf("weighted %.0f\n", weighted);
  std::printf("last %.0f\n", y[n - 1]);
}
