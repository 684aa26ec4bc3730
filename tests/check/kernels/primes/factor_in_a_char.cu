// expect: type-limit: line 6 counts 'f' in a type that holds 255 at most
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (unsigned char f = 2; f <= number / 2; ++f) if (number % f == 0) { result = 0; break; }
  is_prime[number] = result;
}
