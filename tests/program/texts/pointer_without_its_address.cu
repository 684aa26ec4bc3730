// expect: line 4: cudaMalloc takes the address of the pointer: write &x
int main() {
  int* x;
  cudaMalloc(x, 4);
}
