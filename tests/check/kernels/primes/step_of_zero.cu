// expect: time-limit: the loop in line 6 does not end: in thread 0 of block 0, 'number' is 0
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  is_prime[number] = number > 1;
  for (int m = 2 * number; m < size; m += number) is_prime[m] = 0;
}
