// expect: shifted
// sizes: from a dozen numbers on

// The first thread has the number 1, and its result goes to the first place.
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (number > size) return;
  int result = number > 1;
  for (int factor = 2; factor <= number / 2; ++factor) {
    if (number % factor == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number - 1] = result;
}
