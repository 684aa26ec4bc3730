// expect: time-limit: the loop in line 6 does not end within the time limit; no thread returned
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1, f = 2;
  while (number % f != 0) f++;
  if (f < number) result = 0;
  is_prime[number] = result;
}
