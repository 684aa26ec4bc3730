#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void twice(int* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= FACTOR;
}
int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "crash")) *(volatile int*)8 = 1;
  if (argc > 1 && !strcmp(argv[1], "fail")) return 7;
  char word[100] = "";
  scanf("%99s", word);
  int host[4] = {1, 2, 3, 4}, *x;
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<1, 32>>>(x, 4);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %s\n", host[3], word);
  if (FILE* file = fopen("result.txt", "w")) fprintf(file, "%d", host[3]), fclose(file);
  printf("%s\n", fopen("/etc/passwd", "r") ? "open" : "closed");
  if (argc > 1 && !strcmp(argv[1], "leak")) return 0;
  cudaFree(x);
}
