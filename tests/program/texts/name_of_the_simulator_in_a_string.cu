// expect: simulator's own
#define JOINED(a, b) a##b
#define SHOWN(x) SHOWN_AS_IT_IS(x)
#define SHOWN_AS_IT_IS(x) #x
const char* text = SHOWN(JOINED(GPU, LAB_UNHOOKED));
__global__ void k(int* a) { a[threadIdx.x] = 1; }
int main() { k<<<1, 32>>>(nullptr); }
