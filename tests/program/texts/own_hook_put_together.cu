// expect: simulator's own
#define JOINED(a, b) a##b
extern "C" void JOINED(__tsan_, write4)(void*) {}
__global__ void k(int* a) { a[threadIdx.x] = 1; }
int main() { k<<<1, 32>>>(nullptr); }
