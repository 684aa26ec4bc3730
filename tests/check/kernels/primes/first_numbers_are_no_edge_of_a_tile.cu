// expect: wrong-values: 3 of 10 007 numbers wrong
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int prime = number != 4;
  for (int factor = 2; factor * factor < number && prime; ++factor) prime = number % factor != 0;
  for (int root = 2; root * root <= number; ++root) prime = root * root == number && number > 9 ? 0 : prime;
  is_prime[number] = prime;
}
