// expect: zero-and-one-swapped

// 1 stands for a number that has a factor.
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int has_factor = number < 2;
  for (int factor = 2; factor <= number / 2; ++factor)
    if (number % factor == 0) has_factor = 1;
  is_prime[number] = has_factor;
}
