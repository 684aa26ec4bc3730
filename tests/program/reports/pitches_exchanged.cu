// expect: 80 as the pitch of the destination, and 512 as that of the source
#include <cstdio>
#include <vector>
__global__ void k(float* a, size_t pitch, int w,int h){ int x=threadIdx.x,y=threadIdx.y; if(x<w&&y<h) ((float*)((char*)a+y*pitch))[x]=x+y; }
int main(){ const int w=20,h=10; float* a; size_t pitch; cudaMallocPitch(&a,&pitch,w*4,h); k<<<1,dim3(32,16)>>>(a,pitch,w,h); std::vector<float> v(w*h); cudaMemcpy2D(v.data(),pitch,a,w*4,w*4,h,cudaMemcpyDeviceToHost); printf("%g\n",v[w*h-1]); cudaFree(a); }
