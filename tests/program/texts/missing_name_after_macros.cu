// expect: missing_name_after_macros.cu, line 17: the simulated device does not have cudaMallocFromPoolAsync
#include <cstdio>
#define CHECK(x)                                        \
  do {                                                  \
    cudaError_t error = (x);                            \
    if (error != cudaSuccess) {                         \
      fprintf(stderr, "%s:%d\n", __FILE__, __LINE__);   \
      return 1;                                         \
    }                                                   \
  } while (0)
int main() {
  int *x, *y;
  CHECK(cudaMalloc(&x, 40));
  CHECK(cudaMalloc(&y, 40));
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaMallocFromPoolAsync(&x, 100, 0, 0));
}
