// A program that uses names of HIP which CUDA does not have with another prefix.
#include <hip/hip_complex.h>
#include <hip/hip_runtime.h>
#include <roctracer/roctx.h>

#include <cstdio>

constexpr int n = 64;
__constant__ float factor;

__global__ void scale(const float4* in, float4* out) {
  const int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  out[i] = factor * in[i] + in[i];
}

template <class T, int Count>
__global__ void sum(const T* in, T* out) {
  T total = in[threadIdx.x];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) total += __shfl_down(total, offset);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, total + Count);
}

__global__ void rotate(hipFloatComplex* values) {
  values[threadIdx.x] = hipCmulf(values[threadIdx.x], make_hipFloatComplex(0, 1));
}

__global__ void middle_bits(unsigned* values) {
  values[0] = __bitextract_u32(values[0], 8, 12);
  values[1] = __bitinsert_u32(values[1], 0xabc, 4, 8);
}

// hip_runtime.h includes <string> and <thread>, which includes <chrono>.
const std::string name = "bits";
const auto start = std::chrono::steady_clock::now();

int main() {
  float4 *numbers, *in, *out;
  hipHostMalloc(&numbers, n * sizeof(float4));
  for (int i = 0; i < n; ++i) numbers[i] = make_float4(i, 1, 2, 3);
  hipMalloc((void**)&in, n * sizeof(float4));
  hipMalloc(&out, n * sizeof(float4));
  const float two = 2;
  hipMemcpyToSymbol(HIP_SYMBOL(factor), &two, sizeof two);
  hipMemcpy(in, numbers, n * sizeof(float4), hipMemcpyHostToDevice);
  hipLaunchKernelGGL(scale, dim3(1), dim3(n), 0, 0, in, out);
  hipMemcpyWithStream(numbers, out, n * sizeof(float4), hipMemcpyDeviceToHost, 0);
  printf("%g %g\n", numbers[5].x, numbers[5].w);

  float total = 0, *sums;
  hipMalloc(&sums, sizeof(float));
  hipMemset(sums, 0, sizeof(float));
  hipLaunchKernelGGL(HIP_KERNEL_NAME(sum<float, 10>), 1, n, 0, 0, (float*)out, sums);
  hipMemcpy(&total, sums, sizeof(float), hipMemcpyDeviceToHost);
  printf("%g\n", total);

  hipLaunchKernelGGL(rotate, 1, 1, 0, 0, (hipFloatComplex*)out);
  hipFloatComplex rotated;
  hipMemcpy(&rotated, out, sizeof rotated, hipMemcpyDeviceToHost);
  printf("%g %g\n", hipCrealf(rotated), hipCimagf(rotated));

  roctxRangePush(name.c_str());
  unsigned bits[] = {0x12345678, 0x12345678}, *device_bits;
  hipMalloc(&device_bits, sizeof bits);
  hipMemcpy(device_bits, bits, sizeof bits, hipMemcpyHostToDevice);
  middle_bits<<<1, 1>>>(device_bits);
  hipMemcpy(bits, device_bits, sizeof bits, hipMemcpyDeviceToHost);
  hipFree(device_bits);
  roctxRangePop();
  printf("%x %x\n", bits[0], bits[1]);

  hipDeviceProp_t properties;
  hipGetDeviceProperties(&properties, 0);
  int processors = 0, has_textures = 0;
  hipDeviceGetAttribute(&processors, hipDeviceAttributeMultiprocessorCount, 0);
  hipDeviceGetAttribute(&has_textures, hipDeviceAttributeImageSupport, 0);
  const bool needs_address = hipMalloc(nullptr, 4) == hipErrorInvalidValue;
  printf("%s %d %d %d %s\n", properties.gcnArchName, processors == properties.multiProcessorCount, has_textures,
         needs_address, hipGetErrorName(hipErrorOutOfMemory));
  hipFree(in), hipFree(out), hipFree(sums), hipHostFree(numbers);
}
