// expect: compiles
#define JOINED(a, b) a##b
__global__ void JOINED(ke, rnel)(int* a) { a[threadIdx.x] = 1; }
int main() { kernel<<<1, 32>>>(nullptr); }
