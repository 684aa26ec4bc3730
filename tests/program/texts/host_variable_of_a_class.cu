// expect: line 6: the kernel k uses width, a variable of the host (line 3): pass it as an argument, or declare it __device__ or __constant__
struct Image {
  static int width;
};
int Image::width = 8;
__global__ void k(int* a) { a[threadIdx.x] = Image::width; }
int main() { k<<<1, 1>>>(nullptr); }
