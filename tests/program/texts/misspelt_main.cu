// expect: it has no main(), where a program begins; is mian() to be main()?
__global__ void set() {}
int mian() { set<<<1, 1>>>(); }
