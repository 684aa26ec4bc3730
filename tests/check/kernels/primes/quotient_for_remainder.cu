// expect: wrong-values: changing 'number / factor' in line 7
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (int factor = 2; factor <= number / 2; ++factor) {
    if (number / factor == 0) {  // here
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}
