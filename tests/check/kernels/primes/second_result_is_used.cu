// expect: divided-by-itself
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (int factor = 2; factor <= number; ++factor) {
    const int rest = number % factor;
    int found = result;
    if (rest == 0) { int result = 0; found = result; }
    result = found;
  }
  is_prime[number] = result;
}
