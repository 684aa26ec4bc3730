#include <cstdio>
#include <cstring>
#include <vector>

constexpr int width = 4, height = 2;

template <class T>
__global__ void fetch(cudaTextureObject_t texture, T* out) {
  out[threadIdx.x] = tex2D<T>(texture, threadIdx.x + 0.5f, 1.5f);  // fetches
}
__global__ void fetch_otherwise(cudaTextureObject_t texture, float* out) {
  float value;
  tex2D(&value, texture, threadIdx.x + 0.5f, 1.5f);
  out[threadIdx.x] = value;
}
__global__ void double_it(cudaSurfaceObject_t surface) {
  const int x = threadIdx.x * sizeof(float);
  surf2Dwrite(2 * surf2Dread<float>(surface, x, 1), surface, x, 1);
}
__global__ void leave_it(cudaSurfaceObject_t surface, float* out) {
  surf2Dwrite(5.0f, surface, -4, 0, cudaBoundaryModeZero);
  out[0] = surf2Dread<float>(surface, 4 * width, 1, cudaBoundaryModeZero);
  out[1] = surf2Dread<float>(surface, 4 * width, 9, cudaBoundaryModeClamp);
}
__global__ void write_outside(cudaSurfaceObject_t surface) {
  surf2Dwrite(1.0f, surface, (threadIdx.x + 1) * sizeof(float), 0);  // traps
}
__global__ void count_elements(cudaSurfaceObject_t surface) {
  surf2Dwrite(1.0f, surface, threadIdx.x, 0);  // is misaligned
}
__global__ void write_all(cudaSurfaceObject_t surface) {
  surf2Dwrite(float(threadIdx.x), surface, 0, 0);  // races
}

template <class T>
cudaArray_t array_of(const std::vector<T>& values, unsigned flags = 0) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, width, height, flags);  // makes an array
  const size_t row = width * sizeof(T);
  cudaMemcpy2DToArray(array, 0, 0, values.data(), row, row, values.size() / width, cudaMemcpyHostToDevice);
  return array;
}
cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureReadMode mode = cudaReadModeElementType,
                               cudaTextureFilterMode filter = cudaFilterModePoint) {
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureDesc description;
  memset(&description, 0, sizeof description);
  description.readMode = mode;
  description.filterMode = filter;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);  // creates
  return texture;
}
cudaSurfaceObject_t surface_of(cudaArray_t array) {
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);  // creates a surface
  return surface;
}
template <class T>
void show(T* device) {
  T host[width];
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (const T& value : host) printf("%g ", double(value));
  printf("\n");
}

const std::vector<float> numbers{1, 2, 3, 4, 5, 6, 7, 8};
float* out;

void right() {
  cudaArray_t array = array_of(numbers, cudaArraySurfaceLoadStore);
  cudaTextureObject_t texture = texture_of(array, cudaReadModeElementType, cudaFilterModeLinear);
  fetch<<<1, width>>>(texture, out);
  show(out);
  cudaSurfaceObject_t surface = surface_of(array);
  double_it<<<1, width>>>(surface);
  fetch_otherwise<<<1, width>>>(texture, out);
  show(out);
  leave_it<<<1, 1>>>(surface, out);
  show(out);
  cudaDestroySurfaceObject(surface);
  cudaDestroyTextureObject(texture);
  cudaExtent extent;
  unsigned flags;
  cudaArrayGetInfo(nullptr, &extent, &flags, array);
  std::vector<float> back(8);
  cudaMemcpyFromArray(back.data(), array, 4, 1, 12, cudaMemcpyDeviceToHost);
  printf("%zu x %zu, %u, %g %g\n", extent.width, extent.height, flags, back[0], back[2]);
  cudaFreeArray(array);

  cudaArray_t bytes = array_of(std::vector<unsigned char>{0, 0, 0, 0, 51, 102, 153, 204});
  fetch<<<1, width>>>(texture = texture_of(bytes, cudaReadModeNormalizedFloat), out);
  show(out);
  cudaDestroyTextureObject(texture);
  cudaFreeArray(bytes);
}

__global__ void fetch_box(cudaTextureObject_t texture, cudaTextureObject_t line, float* out) {
  const float4 element = tex3D<float4>(texture, 1, 0, threadIdx.x);
  out[threadIdx.x] = element.w + tex1Dfetch<short>(line, threadIdx.x);
}
void box() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  std::vector<float4> values(2 * 1 * width);
  for (int i = 0; i < 2 * width; ++i) values[i].w = i;
  cudaArray_t array;
  cudaMalloc3DArray(&array, &format, make_cudaExtent(2, 1, width));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(values.data(), 2 * sizeof(float4), 2, 1);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(2, 1, width);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  const short hundreds[] = {100, 200, 300, -400};
  short* line;
  cudaMalloc(&line, sizeof hundreds);
  cudaMemcpy(line, hundreds, sizeof hundreds, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = line;
  resource.res.linear.desc = cudaCreateChannelDesc<short>();
  resource.res.linear.sizeInBytes = sizeof hundreds;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  fetch_box<<<1, width>>>(texture_of(array), texture, out);
  show(out);
  cudaFreeArray(array), cudaFree(line);
}

void leak() { array_of(numbers); }
void unwritten() {
  cudaArray_t array = array_of(std::vector<float>(width));
  fetch<<<1, width>>>(texture_of(array), out);
  cudaFreeArray(array);
}
void race() {
  cudaArray_t array = array_of(numbers, cudaArraySurfaceLoadStore);
  write_all<<<1, width>>>(surface_of(array));
  cudaFreeArray(array);
}
void trap() {
  cudaArray_t array = array_of(numbers, cudaArraySurfaceLoadStore);
  write_outside<<<1, width>>>(surface_of(array));
  cudaFreeArray(array);
}
void misaligned() {
  cudaArray_t array = array_of(numbers, cudaArraySurfaceLoadStore);
  count_elements<<<1, width>>>(surface_of(array));
  cudaFreeArray(array);
}
void destroyed() {
  cudaArray_t array = array_of(numbers);
  cudaTextureObject_t texture = texture_of(array);
  cudaDestroyTextureObject(texture);
  fetch<<<1, width>>>(texture, out);
  cudaFreeArray(array);
}
void type() {
  cudaArray_t array = array_of(std::vector<unsigned char>(8, 1));
  fetch<<<1, width>>>(texture_of(array), out);
  cudaFreeArray(array);
}
void filtered() {
  cudaArray_t array = array_of(std::vector<int>(8, 1));
  texture_of(array, cudaReadModeElementType, cudaFilterModeLinear);
  cudaFreeArray(array);
}
void unset() {
  cudaArray_t array = array_of(numbers);
  texture_of(array, cudaTextureReadMode(0x7EFEFEFE));
  cudaFreeArray(array);
}
void plain_surface() {
  cudaArray_t array = array_of(numbers);
  surface_of(array);
  cudaFreeArray(array);
}
void wide() {
  cudaArray_t array = array_of(numbers);
  cudaMemcpy2DToArray(array, 4, 0, numbers.data(), 16, 16, 2, cudaMemcpyHostToDevice);  // does not fit
  cudaFreeArray(array);
}
void long_copy() {
  cudaArray_t array = array_of(numbers);
  cudaMemcpyToArray(array, 0, 1, numbers.data(), 32, cudaMemcpyHostToDevice);  // is too long
  cudaFreeArray(array);
}
void direction() {
  cudaArray_t array = array_of(numbers);
  cudaMemcpyToArray(array, 0, 0, numbers.data(), 32, cudaMemcpyDeviceToHost);  // goes the wrong way
  cudaFreeArray(array);
}
void pointer() {
  cudaArray_t array = array_of(numbers);
  cudaMemcpy(array, numbers.data(), 32, cudaMemcpyHostToDevice);  // takes an array for memory
  cudaFreeArray(array);
}
void free_wrongly() {
  cudaArray_t array = array_of(numbers);
  cudaFree(array);  // frees it wrongly
}
void free_twice() {
  cudaArray_t array = array_of(numbers);
  cudaFreeArray(array);
  cudaFreeArray(array);  // frees it again
}
void freed() {
  cudaArray_t array = array_of(numbers);
  cudaTextureObject_t texture = texture_of(array);
  cudaFreeArray(array);
  fetch<<<1, width>>>(texture, out);
}

void destroyed_early() {
  cudaTextureObject_t texture = texture_of(array_of(numbers));
  fetch<<<1, width>>>(texture, out);  // is launched late
  cudaDestroyTextureObject(texture);  // destroys it early
}

int main(int, char** words) {
  const struct { const char* name; void (*function)(); } all[] = {
      {"right", right}, {"box", box}, {"leak", leak}, {"unwritten", unwritten}, {"race", race}, {"trap", trap},
      {"misaligned", misaligned}, {"destroyed", destroyed}, {"destroyed early", destroyed_early}, {"type", type},
      {"filtered", filtered}, {"unset", unset}, {"plain surface", plain_surface}, {"wide", wide}, {"long", long_copy},
      {"direction", direction}, {"pointer", pointer}, {"free wrongly", free_wrongly}, {"free twice", free_twice},
      {"freed", freed}};
  cudaMalloc(&out, width * sizeof(float));
  cudaMemset(out, 0, width * sizeof(float));
  for (const auto& one : all)
    if (!strcmp(one.name, words[1])) one.function();
  cudaDeviceSynchronize();
  cudaFree(out);
}
