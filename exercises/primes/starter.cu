// is_prime[n] = 1 if n is a prime, else 0, for n in [0, size)
//
//   is_prime   one int for each number
//   size       how many numbers: the largest is size - 1
//
// On the CPU this is a loop over the numbers with a loop over the factors in it. The loop over the
// numbers has become the grid: one thread for each number, in blocks of 1024. So far every number
// passes for a prime.
//
// To do: set result to 0 for 0 and 1, which are no primes, and for every other number that has a
// factor f from 2 to number / 2, that is, number % f == 0. About seven lines.
// Check it: gpulab check primes.cu

__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  // TODO: result = 0 where number is no prime
  is_prime[number] = result;
}
