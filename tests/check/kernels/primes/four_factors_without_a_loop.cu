// expect: wrong-values: the mistake may be before it
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  if (number % 2 == 0 || number % 3 == 0 || number % 5 == 0 || number % 7 == 0) result = 0;
  is_prime[number] = result;
}
