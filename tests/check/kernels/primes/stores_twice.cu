// expect: wrong-values: stores in is_prime[number], and line
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  if (number < 2) result = 0;
  for (int f = 2; f <= number / 2; f++) {
    if (number % f == 0) {
      is_prime[number] = 0;  // here
      break;
    }
  }
  is_prime[number] = result;
}
