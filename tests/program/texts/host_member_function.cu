// expect: line 4: length() is a function of the host, and the kernel k calls it in line 6: write __device__ before it
struct Vector {
  float x, y;
  float length() const { return x * x + y * y; }
};
__global__ void k(float* a) { a[threadIdx.x] = Vector{1, 2}.length(); }
int main() { k<<<1, 1>>>(nullptr); }
