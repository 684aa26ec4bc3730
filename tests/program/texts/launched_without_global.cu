// expect: line 2: a kernel needs __global__, and line 5 launches 'add'
void add(int* x) { x[threadIdx.x] += 1; }
int main() {
  int* const x = nullptr;
  add<<<1, 32>>>(x);
}
