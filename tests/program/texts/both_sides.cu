// expect: compiles
// Kernels use the names of the host's variables and functions where they may.
#include <algorithm>
#include <vector>
const int n = 128;
const float half = 0.5f;
const double tenth = 0.1;
constexpr float pi = 3.14f;
float w[] = {1, 2};
int sizes[] = {1}, m = 3;
namespace gpu {
__constant__ float w[2];
__device__ float counter;
template <class T>
__constant__ T weights[4];
}  // namespace gpu
__managed__ int seen;
struct Buffer {
  float* data;
  Buffer() : data(nullptr) {}
  Buffer(const Buffer& other) : data(other.data) {}
  ~Buffer() { data = nullptr; }
  __device__ float& operator[](int i) const { return data[i]; }
  __device__ float last() const;
  int host_size() const { return sizes[0] + m; }
};
__device__ float Buffer::last() const { return data[n - 1]; }
struct Pair {
  int sizes, data;
};
template <class F>
__global__ void apply(Buffer b, F f, int m) {
  static const float local[3] = {1, 2, 3};
  auto [sizes, data] = Pair{1, 2};
  const int i = threadIdx.x;
  b[i] = f(i) * half + pi + tenth + gpu::w[i % 2] + local[i % 3] + sizes + data + m + gpu::weights<float>[0];
  b[i] += b.last() + sizeof(w) / sizeof(w[0]) + n + std::max(i, 1);
  gpu::counter = 1;
  seen = 1;
}
int main() {
  const int k = m;
  apply<<<1, n>>>(Buffer(), [=] __device__(int i) { return float(i * k); }, 3);
  std::vector<float> values(Buffer().host_size());
  return values.size() == sizes[0] + w[0];
}
