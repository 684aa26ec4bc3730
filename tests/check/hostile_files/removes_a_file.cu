// expect: does-not-compile: unlink()
extern "C" __device__ int unlink(const char*);
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { unlink("canary"); }
