// expect: second-variable: declares a second 'number', which hides that of line 3 and is
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (int number = 2; number < size; ++number)  // here
  for (int f = 2; f <= number / 2; ++f)
    if (number % f == 0) result = 0;
  is_prime[number] = result;
}
