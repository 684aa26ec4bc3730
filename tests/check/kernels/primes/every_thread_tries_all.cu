// expect: repeated-work: the loop in line 3 begins at the same element in every thread
__global__ void primes_from_two(int* is_prime, int size) {
  for (int number = 2; number < size; number++) {
    int result = 1;
    for (int f = 2; f < number; f++) if (number % f == 0) result = 0;
    is_prime[number] = result;
  }
}
