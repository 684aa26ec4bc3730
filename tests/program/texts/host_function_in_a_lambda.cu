// expect: line 4: twice() is a function of the host, and a __device__ lambda calls it in line 6: write __device__ before it
template <class F> __global__ void each(F f) { f(threadIdx.x); }
struct Worker {
  static int twice(int i) { return 2 * i; }
  void run(int* d) {
    each<<<1, 64>>>([=] __device__(int i) { d[i] = twice(i); });
  }
};
int main() { Worker().run(nullptr); }
