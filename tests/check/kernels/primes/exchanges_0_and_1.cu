// expect: zero-and-one-swapped: the two are exchanged
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 0;
  for (int f = 2; f <= number / 2; ++f)
    if (number % f == 0) result = 1;
  is_prime[number] = result;
}
