// expect: a launch has three brackets on each side: add<<<blocks, threads>>>(arguments)
__global__ void add(int* x) { atomicAdd(x, 1); }
int main() {
  int* const x = nullptr;
  add<<4, 4>>(x);
}
