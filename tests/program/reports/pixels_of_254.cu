// never: unset-variable
// expect: no defect found
#include <cstdint>
#include <cstdio>
__global__ void grey(unsigned char* image, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) image[i] = 255 - i / n - 1;
}
__global__ void colours(uchar4* pixels, uchar3* small, uint8_t* bytes, int* packed, unsigned* words, uint32_t* more,
                        short* halves) {
  const int i = threadIdx.x;
  uchar4 pixel;
  pixel.x = pixel.y = pixel.z = pixel.w = 254;
  pixels[i] = pixel;
  small[i] = make_uchar3(254, 254, 254);
  bytes[i] = 254;
  int copy;
  copy = -16843010;
  packed[i] = copy;
  words[i] = 0xFEFEFEFE;
  more[i] = 0xFF7EFEFE;
  halves[i] = (short)0xFEFE;
}
template <class T>
void print(T* memory) {
  T host[32];
  cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", *(unsigned char*)(host + 31));
  cudaFree(memory);
}
int main() {
  unsigned char* image;
  uchar4* pixels;
  uchar3* small;
  uint8_t* bytes;
  int* packed;
  unsigned* words;
  uint32_t* more;
  short* halves;
  cudaMalloc(&image, 32);
  cudaMalloc(&pixels, 32 * sizeof *pixels);
  cudaMalloc(&small, 32 * sizeof *small);
  cudaMalloc(&bytes, 32);
  cudaMalloc(&packed, 32 * sizeof *packed);
  cudaMalloc(&words, 32 * sizeof *words);
  cudaMalloc(&more, 32 * sizeof *more);
  cudaMalloc(&halves, 32 * sizeof *halves);
  grey<<<2, 16>>>(image, 32);
  print(image);
  colours<<<1, 32>>>(pixels, small, bytes, packed, words, more, halves);
  print(pixels), print(small), print(bytes), print(packed), print(words), print(more), print(halves);
}
