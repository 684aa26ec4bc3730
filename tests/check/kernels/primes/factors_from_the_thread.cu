// expect: division-by-zero: begins with f = threadIdx.x, which is 0 in the first thread
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  if (number < 2) result = 0;
  for (int f = threadIdx.x; f <= number / 2; ++f)  // here
    if (number % f == 0) result = 0;
  is_prime[number] = result;
}
