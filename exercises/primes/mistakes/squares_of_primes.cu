// expect: squares-of-primes
// sizes: from five numbers on

// Factors come in pairs, so the smaller ones are enough.
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (int factor = 2; factor * factor < number; ++factor) {
    if (number % factor == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}
