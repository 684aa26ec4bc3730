// expect: repeated-work: the loop in line 3 begins at the same element in every block
__global__ void primes_from_two(int* is_prime, int size) {
  for (int number = threadIdx.x; number < size; number += blockDim.x) {
    int result = number > 1;
    for (int f = 2; f <= number / 2; ++f) if (number % f == 0) result = 0;
    is_prime[number] = result;
  }
}
