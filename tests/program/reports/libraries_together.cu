// expect: no defect found
#include <cublas_v2.h>
#include <cub/cub.cuh>
#include <cufft.h>
#include <curand.h>
#include <thrust/device_vector.h>

#include <cstdio>

__global__ void sum_of_block(float* x) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ Reduce::TempStorage storage;
  const float sum = Reduce(storage).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0) x[0] = sum;
}

int main() {
  thrust::device_vector<float> x(128, 1.0f), y(1);
  float *data = thrust::raw_pointer_cast(x.data()), *sum = thrust::raw_pointer_cast(y.data()), largest;
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandGenerateUniform(generator, data, 128);
  curandDestroyGenerator(generator);
  void* storage = nullptr;
  size_t bytes = 0;
  cub::DeviceReduce::Sum(storage, bytes, data, sum, 128);
  cudaMalloc(&storage, bytes);
  cub::DeviceReduce::Sum(storage, bytes, data, sum, 128);
  cudaFree(storage);
  cublasHandle_t blas;
  cublasCreate(&blas);
  cublasSasum(blas, 128, data, 1, &largest);
  cublasDestroy(blas);
  cufftHandle plan;
  cufftPlan1d(&plan, 64, CUFFT_C2C, 1);
  cufftExecC2C(plan, (cufftComplex*)data, (cufftComplex*)data, CUFFT_FORWARD);
  cufftDestroy(plan);
  sum_of_block<<<1, 128>>>(data);
  printf("%g %g %g\n", largest, (float)x[0], (float)y[0]);
}
