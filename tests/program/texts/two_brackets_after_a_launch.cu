// expect: this launch has no >>> before its arguments
__global__ void set(float* x) { *x = 1; }
int main() {
  set<<<1, 1>>(nullptr);
}
