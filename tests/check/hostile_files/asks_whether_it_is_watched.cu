// expect: does-not-compile: simulator's own
#ifdef GPULAB_HOOKED
#endif
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {}
