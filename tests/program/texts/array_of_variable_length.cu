// expect: line 2: the length of an array in a kernel must be a constant
__global__ void k(float* x, int n) { float t[n]; t[0] = *x; *x = t[0]; }
int main() {}
