// expect: note graph-leak a graph that is created here is never destroyed
// expect: note graph-leak an executable graph that is created here is never destroyed
// expect: 2 notes found
#include <cstdio>

__global__ void fill(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}

int main() {
  const int n = 1000;
  float* x = new float[n];
  float* d;
  cudaMalloc(&d, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<(n + 255) / 256, 256, 0, stream>>>(d, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(x, d, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", x[10]);
  cudaStreamDestroy(stream);
  cudaFree(d);
  delete[] x;
}
