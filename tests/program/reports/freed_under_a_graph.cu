// expect: use-after-free
// expect: the graph in line 16 still uses what line 15 freed
// expect: write: the memory is freed after the last launch of the graph
// never: cudaFreeAsync
__global__ void fill(int* a, int v) { a[threadIdx.x] = v; }
int main() {
  int* a;
  cudaMalloc(&a, 256);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); fill<<<1, 64, 0, s>>>(a, 3); cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaFree(a);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(s);
}
