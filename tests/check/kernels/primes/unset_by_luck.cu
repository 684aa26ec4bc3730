// expect: unset-variable: 'has_factor' may be used before it has a value: the result is right if it is false then
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  bool has_factor;
  for (int factor = 2; factor <= number / 2; ++factor)
    if (number % factor == 0) has_factor = true;
  is_prime[number] = number > 1 && !has_factor ? 1 : 0;
}
