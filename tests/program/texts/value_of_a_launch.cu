// expect: line 4: a launch gives no value: call cudaGetLastError() after it
__global__ void add() {}
int main() {
  const cudaError_t error = add<<<1, 1>>>();
}
