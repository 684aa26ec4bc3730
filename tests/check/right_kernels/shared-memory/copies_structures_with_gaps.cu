// expect: right
struct Gap { char c; int s; };
struct Gap3 { short s; char c; };
struct GapL { float f; char c; };
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  __shared__ Gap gaps[1024];
  __shared__ Gap3 g3[1024];
  __shared__ GapL gl[1024];
  const int t = threadIdx.x;
  gaps[t].c = 1; gaps[t].s = 2; g3[t].s = 2; g3[t].c = 1; gl[t].f = 1; gl[t].c = 1;
  __syncthreads();
  Gap mine = gaps[(t + 1) % blockDim.x];
  const Gap3 m3 = g3[(t + 1) % blockDim.x];
  auto ml = gl[(t + 1) % blockDim.x];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item] * (mine.s - mine.c) * (m3.s - m3.c) * ml.f * ml.c;
}
