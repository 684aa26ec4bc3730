// expect: race-shared: each thread needs its own 'result', so leave out __shared__
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  __shared__ int result; result = 1;  // here
  if (number < 2) result = 0;
  for (int f = 2; f <= number / 2; ++f) {
    if (number % f == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}
