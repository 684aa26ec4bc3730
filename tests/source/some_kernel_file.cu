// A comment about the whole file.

#define UNUSED {
const int bins = 256;  // not the kernel's comment
// One atomic for every element.
// All blocks queue.
__global__ void histogram(const int* input, int* output, int size) {
  if (size > 0) { output[0] = '}'; }  // }
  const char* text = "} \" {"; /* } */
}

__device__ int twice(int x) { return histogram_bins(2 * x); }

__global__ void later(int* output);

/* Two versions. */
template <int n>
__global__ void __launch_bounds__(256) later (int* output) {
  output[n] = 1'000;
}
namespace inner {
__global__ void hidden() {}
}  // namespace inner
