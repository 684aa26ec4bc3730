// expect: factors-left-out: changing '3' and 'f += 2' in line 7 makes the kernel right
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  if (number < 2) result = 0;
  for (int f = 3; f <= number / 2; f += 2) {
    if (number % f == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}
