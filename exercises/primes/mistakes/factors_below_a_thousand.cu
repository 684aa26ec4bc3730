// expect: wrong-values
// sizes: more than 1 018 081

// A number has a factor below a thousand.
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (int factor = 2; factor < 1000 && factor <= number / 2; ++factor) {
    if (number % factor == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}
