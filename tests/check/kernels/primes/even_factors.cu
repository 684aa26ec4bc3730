// expect: factors-left-out: changing 'f += 2' in line 6
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (int f = 2; f <= number / 2; f += 2)
    if (number % f == 0) result = 0;
  is_prime[number] = result;
}
