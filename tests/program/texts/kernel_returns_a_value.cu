// expect: does not compile: line 3
__global__ void first(float* out, const float* in) {
  return in[0];
}
int main() { first<<<1, 1>>>(nullptr, nullptr); }
