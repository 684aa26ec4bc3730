// expect: misspelt_header.cu does not compile: line 2: 
#include <cuda_runtim.h>
int main() {}
