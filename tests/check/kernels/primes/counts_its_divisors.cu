// expect: zero-and-one: changing 'count > 2' in line 8 makes the kernel right
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  int count = 0;
  for (int f = 1; f <= number; ++f) if (number % f == 0) ++count;
  if (count > 2) result = 0;  // here
  is_prime[number] = result;
}
