// expect: divided-by-itself: changing 'f > 0' in line 7 makes the kernel right
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  if (number < 2) result = 0;
  for (int f = number / 2; f > 0; --f) if (number % f == 0) result = 0;  // here
  is_prime[number] = result;
}
