// expect: one-wrong-value: changing 'number == 0' in line 6 makes the kernel right
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  if (number == 0) result = 0;  // here
  for (int f = 2; f <= number / 2; ++f) if (number % f == 0) result = 0;
  is_prime[number] = result;
}
