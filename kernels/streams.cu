// is_prime[n] = 1 if n is a prime, else 0, for n in [0, upper)
// prime_count[0] = how many elements of is_prime are 1
// counts[b] = how many elements of input equal b, for b in [0, 256)
// C[i] = 2 * A[i]

// Trial division, one thread for each number.
__global__ void primes(int* is_prime, int upper) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= upper) return;
  int result = number > 1;
  for (int factor = 2; factor <= number / 2; ++factor) {
    if (number % factor == 0) {
      result = 0;
      break;
    }
  }
  is_prime[number] = result;
}

// Depends on the result of primes. If no event or common stream makes it wait, it counts what happens to be there.
__global__ void count_primes(const int* is_prime, int* prime_count, int upper) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number < upper && is_prime[number] == 1) atomicAdd(prime_count, 1);
}

// Independent of primes, so the two kernels can run concurrently, in different streams: one uses the multiprocessors
// that the other leaves idle.
__global__ void histogram(const int* input, int* counts, int size) {
  __shared__ int block_counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) block_counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&block_counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&counts[bin], block_counts[bin]);
}

// A and C may begin anywhere in larger arrays. A stream works on one chunk of them, while copies of the next chunk,
// which need no multiprocessor, are under way in another stream.
__global__ void twice(const float* A, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = 2 * A[item];
}
