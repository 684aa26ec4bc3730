// expect: note extended-lambda
// expect: device_lambda_of_a_member_function.cu: 1 note found in 4 launches
// never: is a function of the host
#include <cstdio>
namespace loops {
template <class F>
__global__ void for_each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
void fill(int* d, int n) {
  for_each<<<1, 128>>>(n, [=] __device__(int i) { d[i] = i; });
}
template <class T>
struct Adder {
  int* d;
  void add(T value) const {
    int* p = d;
    auto body = [=] __host__ __device__(int i) { p[i] += value; };
    for_each<<<1, 128>>>(100, body);
  }
};
}  // namespace loops
namespace {
struct Doubler {
  void operator()(int* d) const {
    loops::for_each<<<1, 128>>>(100, [=] __device__(int i) { d[i] *= 2; });
  }
};
}  // namespace
struct Worker {
  static void run(int* d) {
    loops::for_each<<<1, 128>>>(100, [=] __device__(int i) { d[i] -= 1; });
  }
};
int main() {
  int *d, h = -1;
  cudaMalloc(&d, 100 * sizeof(int));
  loops::fill(d, 100);
  loops::Adder<int>{d}.add(3);
  Doubler()(d);
  Worker::run(d);
  cudaMemcpy(&h, d + 99, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d);
  printf("%d\n", h);
  return h != 203;
}
