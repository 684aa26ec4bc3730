// expect: unwritten-spaced
// sizes: from six numbers on

// Even numbers are no primes, so only the odd ones need a thread.
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
  if (number >= size) return;
  int result = number > 1;
  for (int factor = 3; factor <= number / 2; factor += 2) {
    if (number % factor == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}
