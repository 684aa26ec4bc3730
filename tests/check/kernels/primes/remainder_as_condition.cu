// expect: inverted-condition: f divides number where the remainder is 0
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  if (number < 2) result = 0;
  for (int f = 2; f <= number / 2; f++) {
    if (number % f) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}
