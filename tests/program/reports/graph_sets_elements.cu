// expect: each is 5
// expect: no defect found
#include <cstdio>
int main() {
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaGraphNode_t node;
  int *words, h[32];
  cudaMalloc(&words, 128);
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams set = {};
  set.dst = words, set.elementSize = 4, set.width = 32, set.height = 1, set.value = 5;
  cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &set);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, 0);
  cudaMemcpy(h, words, 128, cudaMemcpyDeviceToHost);
  bool are_five = true;
  for (int word : h) are_five &= word == 5;
  if (are_five) fprintf(stderr, "each is 5\n");
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaFree(words);
}
