// expect: repeated-work: the loop in line 3 begins at the same element in every thread
__global__ void primes_from_two(int* is_prime, int size) {
  for (int n = 0; n < size; ++n) is_prime[n] = n == 2 || (n > 2 && n % 2);  // here
}
