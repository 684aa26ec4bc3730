// expect: std::swap is of the host's C++ library
#include <utility>
__global__ void k(float* x) { std::swap(x[0], x[1]); }
int main() {}
