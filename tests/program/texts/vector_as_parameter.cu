// expect: k has a parameter that is a std::vector of the host's C++ library
#include <vector>
__global__ void k(std::vector<float> v, float* x) { *x = v[0]; }
int main() {}
