// expect: out-of-bounds-write
// sizes: not a multiple of 1024

// All numbers are primes to begin with.
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  is_prime[number] = number > 1;
  if (number < size) {
    for (int factor = 2; factor <= number / 2; ++factor) {
      if (number % factor == 0) {
        is_prime[number] = 0;
        break;
      }
    }
  }
}
