// expect: canonicalizef() is not a function that a GPU has
extern "C" __device__ int canonicalizef(float*, const float*);
__global__ void k(float* a, float* b) { canonicalizef(a, b); }
