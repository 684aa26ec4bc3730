#include <thrust/adjacent_difference.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/universal_vector.h>
#include <cmath>
#include <cstdio>
#include <cstring>

__global__ void twice(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;  // doubles
}

__global__ void count_up(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) x[i] = i;  // counts
}

void sort() {
  thrust::host_vector<int> h(1000);
  for (int i = 0; i < 1000; ++i) h[i] = (i * 7919) % 1000;
  thrust::device_vector<int> d = h;
  thrust::sort(d.begin(), d.end());
  twice<<<4, 256>>>(thrust::raw_pointer_cast(d.data()), 1000);
  h = d;
  printf("%d %d %d\n", h[0], h[1], h[999]);
}

struct AreaOfCircle {
  __host__ __device__ float operator()(unsigned number) const {
    thrust::default_random_engine random(number * 7919 + 1);
    thrust::uniform_real_distribution<float> uniform(0, 1);
    int inside = 0;
    for (int i = 0; i < 200; ++i) {
      const float x = uniform(random), y = uniform(random);
      inside += sqrtf(x * x + y * y) < 1;
    }
    return 4.0f * inside / 200;
  }
};

void monte_carlo() {
  const float sum = thrust::transform_reduce(thrust::device, thrust::counting_iterator<int>(0),
                                             thrust::counting_iterator<int>(500), AreaOfCircle(), 0.0f,
                                             thrust::plus<float>());
  printf("%s\n", std::abs(sum / 500 - 3.14159) < 0.02 ? "pi" : "not pi");
}

struct Saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

void saxpy() {
  thrust::device_vector<float> x(4), y(4, 10);
  thrust::sequence(x.begin(), x.end());
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Saxpy{2});
  printf("%g %g\n", (float)y[0], (float)y[3]);
}

void histogram() {
  thrust::device_vector<int> data(40);
  for (size_t i = 0; i < data.size(); ++i) data[i] = (i * 13 + 5) % 7;
  thrust::sort(data.begin(), data.end());
  const int bins = thrust::inner_product(data.begin(), data.end() - 1, data.begin() + 1, 1, thrust::plus<int>(),
                                         thrust::not_equal_to<int>());
  thrust::device_vector<int> values(bins), counts(bins);
  thrust::reduce_by_key(data.begin(), data.end(), thrust::constant_iterator<int>(1), values.begin(),
                        counts.begin());
  for (int i = 0; i < bins; ++i) printf("%d:%d ", (int)values[i], (int)counts[i]);
  printf("\n");
}

void device_pointers() {
  const int n = 1000;
  int *d, last;
  cudaMalloc(&d, (n + 1) * sizeof(int));
  count_up<<<4, 256>>>(d, n);
  thrust::device_ptr<int> p = thrust::device_pointer_cast(d);
  const int sum = thrust::reduce(p, p + n);
  thrust::inclusive_scan(thrust::device, d, d + n, d);
  twice<<<4, 256>>>(d, n);
  cudaMemcpy(&last, d + n - 1, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", sum, last, (int)*thrust::max_element(p, p + n));
  cudaFree(d);
}

struct AddFirstTwo {
  template <class T>
  __host__ __device__ void operator()(T t) const {
    thrust::get<2>(t) = thrust::get<0>(t) + thrust::get<1>(t);
  }
};

void keys_in_stream() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  thrust::device_vector<int> keys(3), values(3), sums(3);
  for (int i = 0; i < 3; ++i) {
    keys[i] = 3 - i;
    values[i] = i * 10;
  }
  twice<<<1, 32, 0, stream>>>(thrust::raw_pointer_cast(keys.data()), 3);
  thrust::sort_by_key(thrust::cuda::par.on(stream), keys.begin(), keys.end(), values.begin());
  thrust::for_each(thrust::cuda::par_nosync.on(stream),
                   thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), values.begin(), sums.begin())),
                   thrust::make_zip_iterator(thrust::make_tuple(keys.end(), values.end(), sums.end())),
                   AddFirstTwo());
  cudaStreamSynchronize(stream);
  for (int i = 0; i < 3; ++i) printf("%d,%d,%d ", (int)keys[i], (int)values[i], (int)sums[i]);
  printf("\n");
  cudaStreamDestroy(stream);
}

void lambdas() {
  thrust::device_vector<int> v(10);
  int* raw = thrust::raw_pointer_cast(v.data());
  thrust::for_each(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(10),
                   [=] __device__(int i) { raw[i] = 3 * i, atomicAdd(raw, 1); });
  printf("%d %d\n", (int)v[0], (int)v[9]);
}

void managed() {
  int* m;
  cudaMallocManaged(&m, 100 * sizeof(int));
  count_up<<<1, 128>>>(m, 99);
  const int sum = thrust::reduce(thrust::device, m, m + 100);
  printf("%d %d\n", sum, m[99]);
  cudaFree(m);
}

__constant__ int factor;
__device__ int offset = 5;

struct Scale {
  __device__ int operator()(int x) const { return x * factor + offset; }
};

thrust::device_vector<int> global_vector(3, 7);

void global() {
  twice<<<1, 32>>>(thrust::raw_pointer_cast(global_vector.data()), 3);
  printf("%d\n", thrust::reduce(global_vector.begin(), global_vector.end()));
}

void universal() {
  const int three = 3;
  cudaMemcpyToSymbol(factor, &three, sizeof three);
  thrust::universal_vector<int> v(10);
  count_up<<<1, 32>>>(thrust::raw_pointer_cast(v.data()), 9);
  thrust::transform(v.begin(), v.end(), v.begin(), Scale());
  printf("%d %d\n", v[0], v[9]);
}

void universal_too_early() {
  thrust::universal_vector<int> v(10);
  count_up<<<1, 32>>>(thrust::raw_pointer_cast(v.data()), 9);
  printf("%d\n", v[9]);  // reads
}

void past_the_end() {
  thrust::device_vector<int> v(1000);  // too small
  count_up<<<4, 256>>>(thrust::raw_pointer_cast(&v[0]), 1000);
  cudaDeviceSynchronize();
}

void unwritten_in_kernel() {
  thrust::device_ptr<int> p = thrust::device_malloc<int>(100);  // unset
  twice<<<1, 128>>>(thrust::raw_pointer_cast(p), 100);
  cudaDeviceSynchronize();
  thrust::device_free(p);
}

void unwritten_in_thrust() {
  int* d;
  cudaMalloc(&d, 100 * sizeof(int));
  const int sum = thrust::reduce(thrust::device, d, d + 100);  // reduces
  printf("%d\n", sum > 0);
  cudaFree(d);
}

void raw_on_host() {
  thrust::device_vector<int> v(100);
  int* raw = thrust::raw_pointer_cast(v.data());
  raw[3] = 1;  // follows
  printf("%d\n", (int)v[3]);
}

void copied_past_the_end() {
  thrust::device_vector<int> all(100, 3), few(50);
  thrust::copy(all.begin(), all.end(), few.begin());  // copies
}

void computed_past_the_end() {
  thrust::device_vector<int> a(1000, 1), b(1000, 2), few(500);
  thrust::transform(a.begin(), a.end(), b.begin(), few.begin(), thrust::plus<int>());  // adds
}

int main(int, char** argv) {
  const struct {
    const char* name;
    void (*run)();
  } cases[] = {{"sort", sort},
               {"monte_carlo", monte_carlo},
               {"saxpy", saxpy},
               {"histogram", histogram},
               {"device_pointers", device_pointers},
               {"keys_in_stream", keys_in_stream},
               {"lambdas", lambdas},
               {"managed", managed},
               {"global", global},
               {"universal", universal},
               {"universal_too_early", universal_too_early},
               {"past_the_end", past_the_end},
               {"unwritten_in_kernel", unwritten_in_kernel},
               {"unwritten_in_thrust", unwritten_in_thrust},
               {"raw_on_host", raw_on_host},
               {"copied_past_the_end", copied_past_the_end},
               {"computed_past_the_end", computed_past_the_end}};
  for (const auto& one : cases)
    if (!std::strcmp(one.name, argv[1])) one.run();
}
