// expect: sanitizers
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WATCHED
#endif
#endif
__global__ void k(int* a) { a[threadIdx.x] = 1; }
