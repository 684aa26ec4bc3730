// expect: right
__device__ int first_of_block() { return blockIdx.x * blockDim.x; }

__global__ void primes_from_two(int* is_prime, int size) {
  int* const block = is_prime + first_of_block();
  const int end = min(size - first_of_block(), int(blockDim.x));
  for (int i = threadIdx.x; i < end; i += blockDim.x) {
    const int number = first_of_block() + i;
    int result = number > 1;
    for (int factor = 2; factor * factor <= number && result; ++factor) result = number % factor != 0;
    block[i] = result;
  }
}
