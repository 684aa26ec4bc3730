// expect: if (cudaStreamEndCapture(...) != cudaSuccess) ... DEFECT invalid-handle cudaGraphInstantiate
#include <cstdio>

__global__ void k(int* p) { atomicAdd(p, 1); }

int main() {
  int *p, h;
  cudaMalloc(&p, sizeof h);
  cudaMemset(p, 0, sizeof h);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 32, 0, s>>>(p);
  cudaStreamSynchronize(s);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s);
  cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(p);
}
