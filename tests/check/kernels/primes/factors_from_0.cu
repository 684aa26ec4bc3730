// expect: division-by-zero: begins with f = 0, and line 7 divides by it
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (int f = 0; f <= number / 2; ++f)  // here
    if (number % f == 0) result = 0;
  is_prime[number] = result;
}
