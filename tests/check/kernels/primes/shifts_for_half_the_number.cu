// expect: factors-left-out: changing 'f < number >> 1' in line 7 makes the kernel right
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  if (number < 2) result = 0;
  for (int f = 2; f < number >> 1; ++f)
    if (number % f == 0) { result = 0; break; }
  is_prime[number] = result;
}
