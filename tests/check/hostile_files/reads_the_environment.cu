// expect: does-not-compile: getenv()
extern "C" __device__ char* getenv(const char*);
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { printf(getenv("HOME")); }
