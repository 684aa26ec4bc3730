// expect: std::max is of the host's C++ library
#include <algorithm>
__global__ void k(float* x) { *x = std::max(*x, 2.0f); }
int main() {}
