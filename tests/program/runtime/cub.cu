// Programs that use CUB. The argument chooses one. A GPU prints the same.
#include <cstdio>
#include <cstring>
#include <cub/block/block_reduce.cuh>
#include <cub/cub.cuh>

struct IsEven {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

template <int threads, int items>
__global__ void sums(const int* in, int* out, int n) {
  using BlockLoad = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
  using BlockReduce = cub::BlockReduce<int, threads>;
  __shared__ union {
    typename BlockLoad::TempStorage load;
    typename BlockReduce::TempStorage reduce;
  } temp;
  int values[items];
  const int first = blockIdx.x * threads * items;
  BlockLoad(temp.load).Load(in + first, values, n - first, 0);
  __syncthreads();
  const int sum = BlockReduce(temp.reduce).Sum(values);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void scan(int* data, bool waits) {
  using BlockScan = cub::BlockScan<int, 128>;
  __shared__ typename BlockScan::TempStorage temp;
  int value = data[threadIdx.x], total, values[2] = {value, 1};
  BlockScan(temp).ExclusiveSum(value, value, total);
  if (waits) __syncthreads();
  BlockScan(temp).InclusiveSum(values, values);  // the same storage
  data[threadIdx.x] = value;
  if (threadIdx.x == 0) data[128] = total;
  if (threadIdx.x == 127) data[129] = values[1];
}

__global__ void sort(float* keys, int* values) {
  using Sort = cub::BlockRadixSort<float, 64, 2, int>;
  __shared__ typename Sort::TempStorage temp;
  float key[2];
  int value[2];
  for (int i = 0; i < 2; ++i) {
    key[i] = keys[threadIdx.x * 2 + i];
    value[i] = threadIdx.x * 2 + i;
  }
  Sort(temp).SortDescending(key, value);
  for (int i = 0; i < 2; ++i) {
    keys[threadIdx.x * 2 + i] = key[i];
    values[threadIdx.x * 2 + i] = value[i];
  }
}

__global__ void warps(const float* in, float* most, int* before) {
  using WarpReduce = cub::WarpReduce<float>;
  using WarpScan = cub::WarpScan<int, 16>;
  __shared__ typename WarpReduce::TempStorage reduce[4];
  __shared__ typename WarpScan::TempStorage scan[8];
  const float value = WarpReduce(reduce[threadIdx.x / 32]).Reduce(in[threadIdx.x], [](float a, float b) { return a < b ? b : a; });
  if (threadIdx.x % 32 == 0) most[threadIdx.x / 32] = value;
  int sum;
  WarpScan(scan[threadIdx.x / 16]).ExclusiveSum(int(threadIdx.x), sum);
  before[threadIdx.x] = sum;
}

__global__ void count(const unsigned char* in, unsigned* counts) {
  using Histogram = cub::BlockHistogram<unsigned char, 64, 4, 256>;
  __shared__ typename Histogram::TempStorage temp;
  __shared__ unsigned bins[256];
  unsigned char values[4];
  for (int i = 0; i < 4; ++i) values[i] = in[threadIdx.x * 4 + i];
  Histogram(temp).Histogram(values, bins);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += 64) counts[bin] = bins[bin];
}

void blocks() {
  int n = 1000, *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, 1024 * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i % 7;
  sums<128, 4><<<2, 128>>>(in, out, n);
  cudaDeviceSynchronize();
  printf("sums %d %d\n", out[0], out[1]);
  for (int i = 0; i < 129; ++i) out[i] = i;
  scan<<<1, 128>>>(out, true);
  cudaDeviceSynchronize();
  printf("scan %d %d %d, %d, %d\n", out[0], out[1], out[127], out[128], out[129]);
  float *keys, *most;
  cudaMallocManaged(&keys, 128 * sizeof(float));
  cudaMallocManaged(&most, 4 * sizeof(float));
  for (int i = 0; i < 128; ++i) keys[i] = i * 37 % 128 - 64.5f;
  sort<<<1, 64>>>(keys, out);
  cudaDeviceSynchronize();
  printf("sort %g %g %g, %d\n", keys[0], keys[1], keys[127], out[0]);
  warps<<<1, 128>>>(keys, most, out);
  cudaDeviceSynchronize();
  printf("warps %g %g %g %g, %d %d %d\n", most[0], most[1], most[2], most[3], out[15], out[16], out[127]);
  unsigned char* bytes;
  cudaMallocManaged(&bytes, 256);
  for (int i = 0; i < 256; ++i) bytes[i] = i * i;
  count<<<1, 64>>>(bytes, reinterpret_cast<unsigned*>(out));
  cudaDeviceSynchronize();
  printf("counts %d %d %d\n", out[0], out[1], out[64]);
  cudaFree(in), cudaFree(out), cudaFree(keys), cudaFree(most), cudaFree(bytes);
}

int number_at(const int* at) {
  int number = 0;
  cudaMemcpy(&number, at, sizeof(int), cudaMemcpyDeviceToHost);
  return number;
}

void device() {
  constexpr int n = 1000;
  int host[n], *in, *out, *number, *counts;
  for (int i = 0; i < n; ++i) host[i] = i * 37 % 1000;
  cudaMalloc(&in, n * sizeof(int)), cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&number, sizeof(int)), cudaMalloc(&counts, 10 * sizeof(int));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  const int largest = 1 << 20;  // enough for all
  size_t bytes = largest;
  void* temp;
  cudaMalloc(&temp, bytes);
  size_t asked = 0;
  cub::DeviceReduce::Sum(nullptr, asked, in, number, n);
  printf("asked %d\n", asked > 0);
  cub::DeviceReduce::Sum(temp, bytes, in, number, n);
  printf("sum %d\n", number_at(number));
  cub::DeviceReduce::Max(temp, bytes, in, number, n);
  printf("max %d\n", number_at(number));
  cub::DeviceRadixSort::SortKeysDescending(temp, bytes, in, out, n);
  printf("sorted %d %d\n", number_at(out), number_at(out + 999));
  cub::DeviceScan::ExclusiveSum(temp, bytes, in, out, n);
  printf("scanned %d %d\n", number_at(out + 1), number_at(out + 999));
  cub::DeviceSelect::If(temp, bytes, in, out, number, n, IsEven());
  printf("even %d, %d\n", number_at(number), number_at(out + 1));
  cub::DeviceHistogram::HistogramEven(temp, bytes, in, counts, 11, 0, 1000, n);
  printf("bins %d %d\n", number_at(counts), number_at(counts + 9));
  cudaMemset(in, 0, 8 * sizeof(int));
  cub::DeviceRunLengthEncode::Encode(temp, bytes, in, out, counts, number, 10);
  printf("runs %d, %d\n", number_at(number), number_at(counts));
  cudaFree(in), cudaFree(out), cudaFree(number), cudaFree(counts), cudaFree(temp);
}

void mistakes() {
  int host[100] = {}, *in, *out;
  cudaMalloc(&in, 100 * sizeof(int)), cudaMalloc(&out, sizeof(int));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  size_t bytes = 1 << 20;
  void* temp;
  cudaMalloc(&temp, bytes);
  cub::DeviceReduce::Sum(temp, bytes, host, out, 100);
  cub::DeviceReduce::Sum(temp, bytes, in, out, 200);
  int* data;
  cudaMalloc(&data, 130 * sizeof(int));
  cudaMemset(data, 0, 130 * sizeof(int));
  scan<<<1, 128>>>(data, false);
  cudaDeviceSynchronize();
  cudaFree(in), cudaFree(out), cudaFree(temp), cudaFree(data);
}

int main(int, char** arguments) {
  if (strcmp(arguments[1], "blocks") == 0) blocks();
  if (strcmp(arguments[1], "device") == 0) device();
  if (strcmp(arguments[1], "mistakes") == 0) mistakes();
}
