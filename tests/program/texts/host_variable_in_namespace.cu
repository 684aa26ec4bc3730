// expect: line 5: the __device__ function scaled uses factor, a variable of the host (line 3): pass it as an argument, or declare it __device__ or __constant__
namespace settings {
float factor = 2;
}
__device__ float scaled(float x) { return x * settings::factor; }
__global__ void k(float* a) { a[threadIdx.x] = scaled(threadIdx.x); }
int main() { k<<<1, 1>>>(nullptr); }
