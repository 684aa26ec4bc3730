// expect: or a semicolon before it
__global__ void k(int* a) { *a = 1; }
int main() { k<<<1; 1>>>(nullptr); }
