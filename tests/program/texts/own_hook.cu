// expect: simulator's own
extern "C" void __tsan_write4(void*) {}
__global__ void k(int* a) { a[threadIdx.x] = 1; }
int main() { k<<<1, 32>>>(nullptr); }
