// expect: line 4: operator() is a function of the host, and the __device__ function twice calls it in line 6: write __device__ before it
struct Vector {
  float x, y;
  Vector operator+(const Vector& other) const { return {x + other.x, y + other.y}; }
};
__device__ Vector twice(Vector v) { return v + v; }
__global__ void k(float* a) { a[threadIdx.x] = twice({1, 2}).x; }
int main() { k<<<1, 1>>>(nullptr); }
