// expect: line 5: a launch has blocks and threads: kernel<<<blocks, threads>>>(arguments)
__global__ void add(int* x) { atomicAdd(x, 1); }
int main() {
  int* const x = nullptr;
  add<<<4>>>(x);
}
