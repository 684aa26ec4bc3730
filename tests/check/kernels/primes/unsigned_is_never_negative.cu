// expect: division-by-zero: an unsigned number is always >= 0
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  if (number < 2) result = 0;
  for (unsigned f = number / 2; f >= 0; --f) if (number % f == 0) result = 0;  // here
  is_prime[number] = result;
}
