// expect: factors-left-out
// sizes: more than 66 049

// Small factors are enough: a byte holds them all.
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (unsigned char factor = 2; factor < 255 && factor <= number / 2; ++factor) {
    if (number % factor == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}
