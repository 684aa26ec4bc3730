__global__ void refused(int* out) {
  asm("mov.u32 %0, %%laneid;" : "=r"(out[0]));
}
