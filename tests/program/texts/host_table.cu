// expect: line 5: the kernel k uses table, a variable of the host (line 3): pass it as an argument, or declare it __device__ or __constant__
namespace {
const float table[4] = {1, 2, 3, 4};
}
__global__ void k(float* a) { a[threadIdx.x] = 2.0f * table[threadIdx.x % 4]; }
int main() { k<<<1, 1>>>(nullptr); }
