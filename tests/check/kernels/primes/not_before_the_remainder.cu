// expect: wrong-values: ! binds tighter than %: !(number % f)
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  if (number < 2) result = 0;
  for (int f = 2; f <= sqrt(number); ++f) if (!number % f) result = 0;  // here
  is_prime[number] = result;
}
