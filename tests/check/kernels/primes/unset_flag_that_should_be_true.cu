// expect: unset-variable: 'prime' may be used before it has a value: the result is wrong if it is false then, and right
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  bool prime;
  if (number < 2) prime = false;
  for (int f = 2; f <= number / 2; ++f)
    if (number % f == 0) prime = false;
  is_prime[number] = prime ? 1 : 0;
}
