// is_prime[n] = 1 if n is a prime, else 0, for n in [0, size)

// Trial division. The loop of the CPU, unchanged: every thread of the grid computes everything, and all write the same
// values.
__global__ void primes_every_thread(int* is_prime, int size) {
  for (int number = 0; number < size; ++number) {
    int result = number > 1;
    for (int factor = 2; factor <= number / 2; ++factor) {
      if (number % factor == 0) {
        result = 0;
        break;
      }
    }
    is_prime[number] = result;
  }
}

// One number, one thread, one launch. The loop over the numbers stays on the host. Expects a grid of one thread.
__global__ void primes_single(int* is_prime, int number) {
  int result = number > 1;
  for (int factor = 2; factor <= number / 2; ++factor) {
    if (number % factor == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}

// The outer loop becomes the grid: each thread has one number. The loop finds no factor of 0 and 1, so they count as
// primes.
__global__ void primes_one_each(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = 1;
  for (int factor = 2; factor <= number / 2; ++factor) {
    if (number % factor == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}

// A prime is greater than 1. The loop does not test that: the initial value of result does.
__global__ void primes_from_two(int* is_prime, int size) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= size) return;
  int result = number > 1;
  for (int factor = 2; factor <= number / 2; ++factor) {
    if (number % factor == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}
