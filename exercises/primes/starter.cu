// is_prime[n] = 1 if n is a prime, else 0, for n in [0, size)
//
//   is_prime   one int for each number
//   size       how many numbers: the largest is size - 1
//
// On the CPU this is a loop over the numbers, and in it a loop over the
// factors. The grid replaces the loop over the numbers: one thread for each
// number, in blocks of 1024. So far every number counts as a prime.
//
// To do: set result to 0 for 0 and 1, which are not primes, and for every
// number that has a factor f from 2 to number / 2, that is, number % f == 0.
// About seven lines.
// Check it: gpulab check primes.cu

__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  // TODO: result = 0 if number is not a prime
  is_prime[number] = result;
}
