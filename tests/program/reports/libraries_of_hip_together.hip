// expect: no defect found
#include <hip/hip_runtime.h>
#include <hipblas/hipblas.h>
#include <hipcub/hipcub.hpp>

int main() {
  hipblasHandle_t blas;
  hipblasCreate(&blas);
  hipblasDestroy(blas);
  int *x, *sum, total;
  hipMalloc(&x, 10 * sizeof(int));
  hipMemset(x, 0, 10 * sizeof(int));
  hipMalloc(&sum, sizeof(int));
  void* storage = nullptr;
  size_t bytes = 0;
  hipcub::DeviceReduce::Sum(storage, bytes, x, sum, 10);
  hipMalloc(&storage, bytes);
  hipcub::DeviceReduce::Sum(storage, bytes, x, sum, 10);
  hipMemcpy(&total, sum, sizeof total, hipMemcpyDeviceToHost);
  hipFree(x);
  hipFree(sum);
  hipFree(storage);
  return total;
}
