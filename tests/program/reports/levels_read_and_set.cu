// expect: level[v] != depth) return;
// expect: on a GPU either may come first
// never: DEFECT
#include <cstdio>
#include <vector>
__global__ void bfs(const int* offsets, const int* edges, int* level, int n, int depth, int* changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != depth) return;
  for (int e = offsets[v]; e < offsets[v + 1]; e++) {
    int w = edges[e];
    if (level[w] == -1) {
      level[w] = depth + 1;
      *changed = 1;
    }
  }
}
int main() {
  const int n = 512;
  std::vector<int> o(n + 1), e;
  for (int i = 0; i < n; i++) {
    o[i] = e.size();
    e.push_back((i * 2 + 1) % n);
    e.push_back((i * 2 + 2) % n);
    e.push_back((i + 7) % n);
  }
  o[n] = e.size();
  std::vector<int> l(n, -1);
  l[0] = 0;
  int *dof, *de, *dl, *dc;
  cudaMalloc(&dof, 4 * (n + 1));
  cudaMalloc(&de, 4 * e.size());
  cudaMalloc(&dl, 4 * n);
  cudaMalloc(&dc, 4);
  cudaMemcpy(dof, o.data(), 4 * (n + 1), cudaMemcpyHostToDevice);
  cudaMemcpy(de, e.data(), 4 * e.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(dl, l.data(), 4 * n, cudaMemcpyHostToDevice);
  int changed = 1;
  for (int d = 0; changed; d++) {
    changed = 0;
    cudaMemcpy(dc, &changed, 4, cudaMemcpyHostToDevice);
    bfs<<<2, 256>>>(dof, de, dl, n, d, dc);
    cudaMemcpy(&changed, dc, 4, cudaMemcpyDeviceToHost);
  }
  cudaMemcpy(l.data(), dl, 4 * n, cudaMemcpyDeviceToHost);
  int s = 0;
  for (int x : l) s += x;
  printf("%d\n", s);
  cudaFree(dof);
  cudaFree(de);
  cudaFree(dl);
  cudaFree(dc);
}
