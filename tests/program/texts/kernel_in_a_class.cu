// expect: a kernel cannot be a member of a class
struct Work {
  static __global__ void k(float* x) { *x = 1; }
};
int main() {}
