// expect: does-not-compile: pthread_create()
extern "C" __device__ int pthread_create(void*, void*, void* (*)(void*), void*);
__device__ void* run(void*) { return nullptr; }
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { pthread_create(C, nullptr, run, nullptr); }
