// expect: repeated-work: each thread does the work of all; 1 of 1 sum wrong, first sum 0: expected 1.352, got 346; it is what comes out with every element 256 times
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  float sum = 0;
  for (int i = 0; i < size; ++i)  // here
    sum += input[i];
  atomicAdd(&partials[blockIdx.x], sum);
}
