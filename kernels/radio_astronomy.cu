// Sources of a radio image: sigma is the standard deviation of the pixels that 3-sigma clipping keeps; pixels above 5
// sigma that share edges are one source; flux = sum(pixel), centre = sum(position * pixel) / flux

// 1. Kappa-sigma clipping, here with kappa = 3. Clipped values stay in memory: a value is kept if it is between two
// bounds. The bounds come closer with every round, until a round keeps as many values as the one before.

constexpr int radix = 256;  // values of a digit, 8 bits of a key
constexpr int lanes = 32;   // of a warp; as many as shared memory has banks

// Returns an unsigned integer that compares as the float does (the float flip of Herf 2001): all bits of a negative
// number are flipped, and the sign of the others.
__device__ unsigned key_of(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

__device__ float value_of(unsigned key) {
  return __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key);
}

// Returns false for NaN.
__device__ bool is_between(float value, const double* bounds) {
  return value > bounds[0] && value < bounds[1];
}

// One thread. The bounds are beyond every float but infinity, which is not a value of an image.
__global__ void open_bounds(double* bounds) {
  bounds[0] = -1e39;
  bounds[1] = 1e39;
}

// One step of a radix select, which finds a value digit by digit from the most significant on: the histogram of one
// digit, the 8 bits from `shift` on, over the kept values whose higher digits are those found so far. Blocks with
// y = 0 search for the lower middle value, with y = 1 for the upper. Privatisation: every lane has counters in its own
// bank, because most values of an image share their first digit. The counts are zero before the launch.
__global__ void count_digits(const float* image, const double* bounds, const unsigned* keys, unsigned* counts,
                             int shift, int size) {
  __shared__ unsigned copies[radix * lanes];
  for (int i = threadIdx.x; i < radix * lanes; i += blockDim.x) copies[i] = 0;
  __syncthreads();

  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    const unsigned key = key_of(image[i]);
    const bool fits = shift == 24 || key >> (shift + 8) == keys[blockIdx.y] >> (shift + 8);
    if (fits && is_between(image[i], bounds))
      atomicAdd(&copies[(key >> shift) % radix * lanes + threadIdx.x % lanes], 1u);
  }
  __syncthreads();

  for (int digit = threadIdx.x; digit < radix; digit += blockDim.x) {
    unsigned sum = 0;
    // Each lane begins with another copy: no bank conflicts.
    for (int copy = 0; copy < lanes; ++copy) sum += copies[digit * lanes + (digit + copy) % lanes];
    if (sum > 0) atomicAdd(&counts[blockIdx.y * radix + digit], sum);
  }
}

// Finds the next digit of the two middle values: of the lower one in block 0, of the upper one in block 1. It is the
// digit whose count contains the value's rank, by a prefix sum of the counts. 256 threads: one per value of a digit.
// The first digit, shift 24, has no rank from a step before. The counts are zero afterwards, for the next step.
__global__ void choose_digit(unsigned* counts, unsigned* keys, unsigned* ranks, int shift) {
  __shared__ unsigned digit_counts[radix];
  const int digit = threadIdx.x;
  unsigned rank = shift == 24 ? 0 : ranks[blockIdx.x];
  digit_counts[digit] = counts[blockIdx.x * radix + digit];
  counts[blockIdx.x * radix + digit] = 0;
  __syncthreads();

  unsigned before = 0, all = 0;
  for (int i = 0; i < radix; ++i) {
    if (i < digit) before += digit_counts[i];
    all += digit_counts[i];
  }
  if (shift == 24) rank = (all - 1 + blockIdx.x) / 2;  // (n - 1) / 2 and n / 2, which differ if n is even
  if (rank < before || rank >= before + digit_counts[digit]) return;
  ranks[blockIdx.x] = rank - before;
  keys[blockIdx.x] = (shift == 24 ? 0 : keys[blockIdx.x]) | static_cast<unsigned>(digit) << shift;
}

// Returns the median of the kept values, the mean of the two middle ones.
__device__ double median_of(const unsigned* keys) {
  return (static_cast<double>(value_of(keys[0])) + value_of(keys[1])) / 2;
}

// Thread 0 gets the sum over the block: over the lanes of each warp, with warp shuffles, then over the warps.
__device__ double block_sum(double value) {
  __shared__ double sums[lanes];
  for (int offset = lanes / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  if (threadIdx.x % lanes == 0) sums[threadIdx.x / lanes] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int warp = 1; warp < blockDim.x / lanes; ++warp) value += sums[warp];
  __syncthreads();
  return value;
}

// Computes three sums for each block: the count of kept values, their distances from the median, and the squares of
// these distances. Distances are small numbers, so one pass is accurate (the variance of shifted data, Chan, Golub
// and LeVeque 1983). Blocks are whole warps.
__global__ void sum_distances(const float* image, const double* bounds, const unsigned* keys,
                              double* partials, int size) {
  const double median = median_of(keys);
  double sums[3] = {0, 0, 0};
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    if (!is_between(image[i], bounds)) continue;
    const double distance = image[i] - median;
    sums[0] += 1;
    sums[1] += distance;
    sums[2] += distance * distance;
  }
  for (int i = 0; i < 3; ++i) {
    const double sum = block_sum(sums[i]);
    if (threadIdx.x == 0) partials[blockIdx.x * 3 + i] = sum;
  }
}

// One block of whole warps adds the sums of the blocks, always in the same order, and moves the bounds to 3 sigma
// from the median. If sigma is 0, they stay. noise becomes {median, sigma, how many are kept}.
__global__ void narrow_bounds(const double* partials, const unsigned* keys, double* bounds, double* noise,
                              int blocks) {
  double sums[3] = {0, 0, 0};
  for (int i = 0; i < 3; ++i) {
    for (int block = threadIdx.x; block < blocks; block += blockDim.x) sums[i] += partials[block * 3 + i];
    sums[i] = block_sum(sums[i]);
  }
  if (threadIdx.x > 0) return;
  const double kept = sums[0], mean = sums[1] / kept;  // of the distances
  const double sigma = sqrt(sums[2] / kept - mean * mean);
  const double median = median_of(keys);
  noise[0] = kept > 0 ? median : sigma;  // if nothing is kept, sigma is 0 / 0, not a number
  noise[1] = sigma;
  noise[2] = kept;
  if (!(sigma > 0)) return;
  bounds[0] = max(bounds[0], median - 3 * sigma);
  bounds[1] = min(bounds[1], median + 3 * sigma);
}

// 2. Segmentation by a threshold, of noise[1] = sigma. One thread per pixel. NaN is not above anything.
__global__ void above_5_sigma(const float* image, const double* noise, unsigned char* mask, int size) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel < size) mask[pixel] = image[pixel] > 5 * noise[1];
}

// 3. Labelling of connected components, by union-find. A pixel of a source points to its parent, an earlier pixel of
// the source, or, as a root, to itself. At the start each pixel is a root, in the end only the first of its source. The
// background has no parent: -1.
__global__ void start_alone(const unsigned char* mask, int* parents, int size) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel < size) parents[pixel] = mask[pixel] ? pixel : -1;
}

// The find of union-find. Other threads may change parents meanwhile, but only to earlier pixels of the same source, so
// an old value leads to the root as well as a new one. Each read must give one whole value, old or new, and volatile
// says so. A plain read of what others write is a data race, and a compiler may assume that there is none.
__device__ int root_of(const volatile int* parents, int pixel) {
  for (int parent; (parent = parents[pixel]) != pixel; pixel = parent) {}
  return pixel;
}

// The union of union-find, lock-free as in Playne and Hawick 2018: makes the earlier root the parent of the later one.
// If another thread has given the later root a parent first, that parent is joined instead.
__device__ void join(int* parents, int a, int b) {
  a = root_of(parents, a);
  b = root_of(parents, b);
  while (a != b) {
    const int later = max(a, b), earlier = min(a, b);
    const int before = atomicMin(&parents[later], earlier);
    a = before == later ? earlier : before;
    b = earlier;
  }
}

// Joins every pixel with its left and its upper neighbour, all in parallel (Komura 2015, Playne and Hawick 2018). One
// launch is enough for sources of any shape.
__global__ void join_neighbours(const unsigned char* mask, int* parents, int width, int size) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= size || !mask[pixel]) return;
  if (pixel % width > 0 && mask[pixel - 1]) join(parents, pixel, pixel - 1);
  if (pixel >= width && mask[pixel - width]) join(parents, pixel, pixel - width);
}

// Path compression: makes every pixel point to the root of its source. Also counts the sources that begin in each
// block. Other threads read the pixel's parent meanwhile, so it is written as it is read, volatile.
__global__ void find_roots(int* parents, int* block_roots, int size) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  const bool in_source = pixel < size && parents[pixel] >= 0;
  const int root = in_source ? root_of(parents, pixel) : -1;
  if (in_source) static_cast<volatile int*>(parents)[pixel] = root;
  const int roots = __syncthreads_count(in_source && root == pixel);
  if (threadIdx.x == 0) block_roots[blockIdx.x] = roots;
}

// An exclusive prefix sum: the number of sources that begin before each block. One more element has the number of all
// sources. One block of at most 1024 threads. Every thread takes a range of the blocks.
__global__ void scan_roots(const int* block_roots, int* roots_before, int blocks) {
  __shared__ int sums[1024];
  const int range = (blocks + blockDim.x - 1) / blockDim.x;
  const int first = min(static_cast<int>(threadIdx.x) * range, blocks), end = min(first + range, blocks);
  int sum = 0;
  for (int block = first; block < end; ++block) sum += block_roots[block];
  sums[threadIdx.x] = sum;
  __syncthreads();
  // Hillis and Steele 1986: each step adds the sum of the thread `distance` to the left, so a sum covers twice as many
  // ranges as before.
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    const int left = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += left;
    __syncthreads();
  }

  int before = sums[threadIdx.x] - sum;
  for (int block = first; block < end; ++block) {
    roots_before[block] = before;
    before += block_roots[block];
  }
  if (threadIdx.x == blockDim.x - 1) roots_before[blocks] = before;
}

// Numbers the roots of all sources, 1, 2, ... in the order of the pixels: after those of earlier blocks, earlier warps
// and earlier lanes. A ballot and a population count are the prefix sum over the lanes. Blocks are whole warps.
__global__ void number_roots(const int* parents, const int* roots_before, int* labels, int size) {
  __shared__ int warp_roots[lanes];
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  const int warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const bool is_root = pixel < size && parents[pixel] == pixel;
  const unsigned roots = __ballot_sync(0xffffffffu, is_root);
  if (lane == 0) warp_roots[warp] = __popc(roots);
  __syncthreads();
  if (!is_root) return;
  int number = 1 + roots_before[blockIdx.x] + __popc(roots & ((1u << lane) - 1));
  for (int i = 0; i < warp; ++i) number += warp_roots[i];
  labels[pixel] = number;
}

// The other pixels of a source take the number of its root. The background is 0.
__global__ void spread_numbers(const int* parents, int* labels, int size) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= size || parents[pixel] == pixel) return;
  labels[pixel] = parents[pixel] < 0 ? 0 : labels[parents[pixel]];
}

// 4. Measurement. Every pixel adds itself to its source's row of the catalogue, if there is such a row. Rows are zero
// before the launch. Pixels of a source are above zero, and such floats compare as integers with the same bits.
__global__ void add_pixels(const float* image, const int* labels, double* x, double* y, double* flux,
                           float* peak, int* pixels, int width, int rows, int size) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= size || labels[pixel] == 0 || labels[pixel] > rows) return;
  const int row = labels[pixel] - 1;
  const double value = image[pixel];
  atomicAdd(&x[row], pixel % width * value);
  atomicAdd(&y[row], pixel / width * value);
  atomicAdd(&flux[row], value);
  atomicMax(reinterpret_cast<int*>(&peak[row]), __float_as_int(image[pixel]));
  atomicAdd(&pixels[row], 1);
}

// One thread per row turns sum(position * pixel) into the centre. The flux of a row without a source is 0.
__global__ void divide_by_flux(const double* flux, double* x, double* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || flux[row] == 0) return;
  x[row] /= flux[row];
  y[row] /= flux[row];
}
