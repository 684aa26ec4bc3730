// expect: does-not-compile: attribute ifunc
extern "C" __device__ void* pick() { return nullptr; }
__attribute__((ifunc("pick"))) __device__ void f();
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { f(); }
