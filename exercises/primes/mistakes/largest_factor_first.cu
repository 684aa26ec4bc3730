// expect: pass
// because: The order of the factors does not matter, and a loop that ends at 2 tries each of them.
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (int factor = number / 2; factor > 1; --factor)
    if (number % factor == 0) result = 0;
  is_prime[number] = result;
}
