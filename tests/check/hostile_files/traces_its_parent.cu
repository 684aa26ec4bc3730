// expect: does-not-compile: ptrace()
extern "C" __device__ long ptrace(int, ...);
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { ptrace(16, 1); }
