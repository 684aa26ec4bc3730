// expect: factors-left-out: the break in line 8 belongs to no if, so the loop in line 6 ends
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (int f = 2; f <= number / 2; ++f) {
    if (number % f == 0) result = 0;
    break;
  }
  is_prime[number] = result;
}
