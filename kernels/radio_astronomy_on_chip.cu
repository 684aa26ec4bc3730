// Sources of a radio image, as in radio_astronomy.cu: sigma is the standard deviation of the pixels that 3-sigma
// clipping keeps; pixels above 5 sigma that share edges are one source
//
// Kappa-sigma clipping in one launch, clip_on_chip. It is a persistent kernel: all blocks run at once and wait for each
// other, three times in each round. Each reads its part of the image once, and keeps it in shared memory; what does not
// fit is read again in every pass. A round finds the two middle values by radix select, in three passes:
//
//   pass                  0                    1                   2
//   digit of the key      bits 31 to 24        bits 23 to 12       bits 11 to 0
//   each block            counts the digit     counts the digit    counts the digit, adds up the distances
//   all blocks            grid barrier         grid barrier        grid barrier
//   each block            finds the digit      finds the digit     finds the digit, moves the bounds
//
// Distances are measured from the value of the 20 bits that are known by then. It is near the median, and any
// number near the median would do: sigma^2 = mean(distance^2) - mean(distance)^2 (the variance of shifted data).
//
// Blocks have 1024 threads, so that a thread has four of the 4096 counters of a search, one access of 16 bytes. The
// image begins at a multiple of 16 bytes.

constexpr int threads = 1024;
constexpr int first_radix = 256, radix = 4096;  // how many values the first digit has, and the others
constexpr int lanes = 32;        // of a warp
constexpr int vector_width = 4;  // pixels or counters of a 16-byte access
constexpr int counters = 2 * radix;  // = first_radix * lanes
constexpr int max_rounds = 100;      // about ten are enough

// Returns an unsigned integer that compares as the float does (the float flip of Herf 2001): all bits of a negative
// number are flipped, and the sign of the others.
__device__ unsigned key_of(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

__device__ float value_of(unsigned key) {
  return __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key);
}

// Loads four neighbours of the image and returns their keys. Beyond its end the keys are those of NaN, which is never
// kept.
__device__ uint4 load_keys(const float* image, int first, int size) {
  unsigned keys[vector_width] = {~0u, ~0u, ~0u, ~0u};
  if (first + vector_width <= size) {
    const float4 vector = *reinterpret_cast<const float4*>(&image[first]);
    return make_uint4(key_of(vector.x), key_of(vector.y), key_of(vector.z), key_of(vector.w));
  }
  for (int k = 0; first + k < size; ++k) keys[k] = key_of(image[first + k]);
  return make_uint4(keys[0], keys[1], keys[2], keys[3]);
}

// Range of keys from first to last. One comparison is enough for both ends: after the subtraction, keys below `first`
// wrap round to large numbers.
struct KeyRange {
  unsigned first, last;
  __device__ bool contains(unsigned key) const { return key - first <= last - first; }
};

// Returns the keys of all floats between two bounds. The float nearest to a bound may lie outside.
__device__ KeyRange keys_between(double lower, double upper) {
  KeyRange keys{key_of(static_cast<float>(lower)), key_of(static_cast<float>(upper))};
  while (!(value_of(keys.first) > lower)) ++keys.first;
  while (!(value_of(keys.last) < upper)) --keys.last;
  return keys;
}

// The thread's part of the image, in a grid-stride loop: in each step, the threads of the grid take a row of pixels,
// four neighbours each. The keys of the first rows are in shared memory.
struct Part {
  const float* image;
  const uint4* on_chip;
  int rows_on_chip, size;

  template <class Use>
  __device__ void for_each_key(Use use) const {
    const int stride = gridDim.x * threads, first = blockIdx.x * threads + threadIdx.x;
    const int vectors = (size + vector_width - 1) / vector_width;
    const int rows = first < vectors ? (vectors - 1 - first) / stride + 1 : 0, on_chip_end = min(rows, rows_on_chip);
#pragma unroll 2
    for (int row = 0; row < rows; ++row) {
      const uint4 keys = row < on_chip_end ? on_chip[row * threads + threadIdx.x]
                                           : load_keys(image, vector_width * (first + row * stride), size);
      use(keys.x);
      use(keys.y);
      use(keys.z);
      use(keys.w);
    }
  }
};

// One of the two middle values: the digits found so far, and how many of the kept values with these digits come before
// it.
struct Search {
  unsigned key, rank;
};

// A grid barrier, as grid.sync() in cooperative groups: no block goes on before the last one has come here. Together
// they add 2^31 to arrived, so its highest bit changes when all have added their part. `phase` is the bit's value
// before the call; the call waits until the bit is the opposite, and turns `phase` over.
__device__ void grid_barrier(unsigned* arrived, unsigned& phase) {
  phase ^= 0x80000000u;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // what this block wrote is there before it counts as arrived
    atomicAdd(arrived, blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u);
    while (((*static_cast<volatile unsigned*>(arrived) ^ phase) & 0x80000000u) != 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

// Returns the sum over this lane and those before it: an inclusive prefix sum (Hillis and Steele 1986) with warp
// shuffles.
__device__ unsigned warp_inclusive_sum(unsigned value) {
  for (int distance = 1; distance < lanes; distance *= 2) {
    const unsigned left = __shfl_up_sync(0xffffffffu, value, distance);
    if (threadIdx.x % lanes >= distance) value += left;
  }
  return value;
}

// Returns an exclusive prefix sum: the sum over the threads of the block before this one. `all` becomes the sum over
// the block, which has whole warps. Every warp adds up the sums of the warps, so that no barrier is needed to hand the
// result out.
__device__ unsigned block_exclusive_sum(unsigned value, unsigned& all) {
  __shared__ unsigned sums[lanes];
  const int warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const unsigned up_to_here = warp_inclusive_sum(value);
  if (lane == lanes - 1) sums[warp] = up_to_here;
  __syncthreads();
  const unsigned up_to_warp = warp_inclusive_sum(lane < blockDim.x / lanes ? sums[lane] : 0);
  __syncthreads();
  all = __shfl_sync(0xffffffffu, up_to_warp, lanes - 1);
  const unsigned before = __shfl_sync(0xffffffffu, up_to_warp, max(warp - 1, 0));
  return (warp > 0 ? before : 0) + up_to_here - value;
}

// Computes two sums over the block, each a tree reduction with warp shuffles, always in the same order. Thread 0 gets
// them.
__device__ void block_sums(double (&values)[2]) {
  __shared__ double sums[2][lanes];
  const int warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  for (int k = 0; k < 2; ++k) {
    for (int offset = lanes / 2; offset > 0; offset /= 2)
      values[k] += __shfl_down_sync(0xffffffffu, values[k], offset);
    if (lane == 0) sums[k][warp] = values[k];
  }
  __syncthreads();
  if (warp > 0) return;
  for (int k = 0; k < 2; ++k) {
    values[k] = sums[k][lane];
    for (int offset = lanes / 2; offset > 0; offset /= 2)
      values[k] += __shfl_down_sync(0xffffffffu, values[k], offset);
  }
}

// Counts the first digit of the kept values. Privatisation: a block has its own counters for each lane, because most
// values of an image share their first digit. Four threads add up the counters of a digit's value, without bank
// conflicts.
__device__ void count_first_digit(unsigned* block_counts, unsigned* counts, const Part& part, KeyRange kept_keys) {
  const int lane = threadIdx.x % lanes;
  part.for_each_key([&](unsigned key) {
    if (kept_keys.contains(key)) atomicAdd(&block_counts[(key >> 24) * lanes + lane], 1u);
  });
  __syncthreads();
  const int value = threadIdx.x / 4;  // of the digit
  unsigned sum = 0;
  for (int i = 0; i < lanes / 4; ++i)
    sum += block_counts[value * lanes + (threadIdx.x % 4 * (lanes / 4) + i + value) % lanes];
  sum += __shfl_down_sync(0xffffffffu, sum, 2);
  sum += __shfl_down_sync(0xffffffffu, sum, 1);
  if (threadIdx.x % 4 == 0 && sum > 0) atomicAdd(&counts[value], sum);
}

// Adds the block's counters to those in global memory, four per thread.
__device__ void add_counters(unsigned* counts, const unsigned* block_counts) {
  const uint4 vector = reinterpret_cast<const uint4*>(block_counts)[threadIdx.x];
  if (vector.x > 0) atomicAdd(&counts[vector_width * threadIdx.x], vector.x);
  if (vector.y > 0) atomicAdd(&counts[vector_width * threadIdx.x + 1], vector.y);
  if (vector.z > 0) atomicAdd(&counts[vector_width * threadIdx.x + 2], vector.z);
  if (vector.w > 0) atomicAdd(&counts[vector_width * threadIdx.x + 3], vector.w);
}

// Returns the range of kept keys with the digits of a search. The bits from `known_from` up are known.
__device__ KeyRange keys_with_digits(Search search, int known_from, KeyRange kept_keys) {
  return {max(search.key, kept_keys.first), min(search.key + ((1u << known_from) - 1), kept_keys.last)};
}

// Counts the next digit, 12 bits from `shift` on, for both searches. While these have the same digits, one count
// serves both.
__device__ void count_digit(unsigned* block_counts, unsigned* counts, const Part& part, KeyRange kept_keys,
                            const Search (&searches)[2], int shift) {
  const int search_count = searches[0].key != searches[1].key ? 2 : 1;
  for (int search = 0; search < search_count; ++search) {
    const KeyRange keys = keys_with_digits(searches[search], shift + 12, kept_keys);
    part.for_each_key([&](unsigned key) {
      if (keys.contains(key)) atomicAdd(&block_counts[search * radix + (key >> shift) % radix], 1u);
    });
  }
  __syncthreads();
  for (int search = 0; search < search_count; ++search)
    add_counters(&counts[search * radix], &block_counts[search * radix]);
}

// Finds the next digit of both searches: the one whose count contains the search's rank, by a prefix sum of counts. The
// first digit, shift 24, has no rank from a pass before. In that pass it returns how many values are kept.
__device__ unsigned select_digit(Search (&searches)[2], const unsigned* counts, int shift) {
  __shared__ Search found[2];
  const bool is_first = shift == 24, searches_differ = searches[0].key != searches[1].key;
  if (threadIdx.x < 2) found[threadIdx.x] = {0, 0};  // stays, if nothing is kept
  unsigned thread_counts[vector_width], before = 0, all = 0;
  for (int search = 0; search < 2; ++search) {
    if (search == 0 || searches_differ) {
      const bool has_counters = !is_first || threadIdx.x < first_radix / vector_width;
      const uint4* const vectors = reinterpret_cast<const uint4*>(counts + search * radix);
      const uint4 vector = has_counters ? __ldcg(&vectors[threadIdx.x]) : make_uint4(0, 0, 0, 0);
      thread_counts[0] = vector.x;
      thread_counts[1] = vector.y;
      thread_counts[2] = vector.z;
      thread_counts[3] = vector.w;
      before = block_exclusive_sum(vector.x + vector.y + vector.z + vector.w, all);
    }
    if (is_first) searches[search].rank = (all - 1 + search) / 2;  // (n - 1) / 2 and n / 2, which differ if n is even
    const unsigned rank = searches[search].rank;
    unsigned from = before;
    for (int k = 0; k < vector_width; ++k) {
      if (rank >= from && rank - from < thread_counts[k])
        found[search] = {searches[search].key | (vector_width * threadIdx.x + k) << shift, rank - from};
      from += thread_counts[k];
    }
  }
  __syncthreads();
  for (int search = 0; search < 2; ++search) searches[search] = found[search];
  __syncthreads();
  return all;
}

// Computes two sums for each block: the distances from a value, and their squares.
__device__ void sum_distances(double* partials, const Part& part, KeyRange kept_keys, double from) {
  double sums[2] = {0, 0};
  part.for_each_key([&](unsigned key) {
    if (!kept_keys.contains(key)) return;
    const double distance = value_of(key) - from;
    sums[0] += distance;
    sums[1] += distance * distance;
  });
  block_sums(sums);
  if (threadIdx.x > 0) return;
  partials[2 * blockIdx.x] = sums[0];
  partials[2 * blockIdx.x + 1] = sums[1];
}

// Result of a round, the same in all blocks. Thread 0 computes it.
struct Round {
  double median, sigma, lower, upper;  // bounds for the next round
  KeyRange kept_keys;                  // between them
};

// Computes median and sigma of the kept values, and moves the bounds to 3 sigma from the median. If sigma is 0, they
// stay.
__device__ void end_round(Round& round, const double* partials, const Search (&searches)[2], unsigned kept_count) {
  double sums[2] = {0, 0};
  for (int block = threadIdx.x; block < gridDim.x; block += threads)
    for (int k = 0; k < 2; ++k) sums[k] += __ldcg(&partials[2 * block + k]);
  block_sums(sums);
  if (threadIdx.x == 0) {
    const double mean = sums[0] / kept_count;  // of the distances
    round.sigma = sqrt(sums[1] / kept_count - mean * mean);
    round.median = (static_cast<double>(value_of(searches[0].key)) + value_of(searches[1].key)) / 2;
    if (round.sigma > 0) {
      round.lower = max(round.lower, round.median - 3 * round.sigma);
      round.upper = min(round.upper, round.median + 3 * round.sigma);
      round.kept_keys = keys_between(round.lower, round.upper);
    }
  }
  __syncthreads();
}

extern __shared__ __align__(16) uint4 on_chip[];

// Expects a cooperative launch with 16 * 1024 * rows_on_chip bytes of shared memory. counts is zero before the launch,
// and has three times as many counters as a pass needs (triple buffering): one third is in use, late blocks still read
// the second, and the last is set back to zero. One more word counts the blocks that have arrived at the barrier. noise
// becomes {median, sigma, how many are kept}.
__global__ void __launch_bounds__(threads, 1)
    clip_on_chip(const float* image, unsigned* counts, double* partials, double* noise, int rows_on_chip, int size) {
  __shared__ __align__(16) unsigned block_counts[counters];
  __shared__ Round round;
  const int thread = blockIdx.x * threads + threadIdx.x, stride = gridDim.x * threads;
  for (int row = 0, first = vector_width * thread; row < rows_on_chip && first < size;
       ++row, first += vector_width * stride)
    on_chip[row * threads + threadIdx.x] = load_keys(image, first, size);
  const Part part{image, on_chip, rows_on_chip, size};
  const uint4 zeros = make_uint4(0, 0, 0, 0);
  if (threadIdx.x == 0) {
    round.lower = -1e39;  // both beyond every float but infinity
    round.upper = 1e39;
    round.kept_keys = keys_between(round.lower, round.upper);
  }
  __syncthreads();
  unsigned kept_before = ~0u, kept_now = 0, phase = 0;
  for (int rounds = 0; rounds < max_rounds; ++rounds) {
    const KeyRange kept_keys = round.kept_keys;
    Search searches[2] = {};
    for (int pass = 0; pass < 3; ++pass) {
      const int shift = 24 - 12 * pass;
      unsigned* const counts_now = &counts[pass * counters];
      unsigned* const counts_next = &counts[(pass + 1) % 3 * counters];
      for (int half = 0; half < 2; ++half)
        reinterpret_cast<uint4*>(block_counts)[half * threads + threadIdx.x] = zeros;
      for (int i = thread; i < counters / vector_width; i += stride) reinterpret_cast<uint4*>(counts_next)[i] = zeros;
      __syncthreads();
      if (pass == 0)
        count_first_digit(block_counts, counts_now, part, kept_keys);
      else
        count_digit(block_counts, counts_now, part, kept_keys, searches, shift);
      if (pass == 2) sum_distances(partials, part, kept_keys, value_of(searches[0].key));
      grid_barrier(&counts[3 * counters], phase);
      const unsigned counted = select_digit(searches, counts_now, shift);
      if (pass == 0) kept_now = counted;
      if (kept_now == kept_before) return;  // nothing was clipped; can only be in pass 0, which sets kept_now
    }
    kept_before = kept_now;
    end_round(round, partials, searches, kept_now);
    if (thread == 0) {
      noise[0] = kept_now > 0 ? round.median : round.sigma;  // if nothing is kept, sigma is 0 / 0, not a number
      noise[1] = round.sigma;
      noise[2] = kept_now;
    }
    if (!(round.sigma > 0)) return;
  }
}

// The other steps, with thread coarsening: four pixels per thread. In a radio image, four neighbours are nearly always
// background. Then one read of the mask is enough, and the thread is done.

// Loads the mask of four pixels from `first` on, a byte for each. Beyond the end it is background.
__device__ unsigned load_mask(const unsigned char* mask, int first, int size) {
  if (first + vector_width <= size) return *reinterpret_cast<const unsigned*>(&mask[first]);
  unsigned bytes = 0;
  for (int pixel = first; pixel < size; ++pixel) bytes |= static_cast<unsigned>(mask[pixel]) << 8 * (pixel - first);
  return bytes;
}

__device__ bool is_in_source(unsigned bytes, int k) {
  return bytes >> 8 * k & 1;
}

// Segmentation by a threshold. Each pixel of a source starts alone, as its own parent. The background needs no parents.
// The first threads also set the rows of the catalogue to zero.
__global__ void segment_fours(const float* image, const double* noise, unsigned char* mask, int* parents, double* x,
                              double* y, double* flux, float* peak, int* pixels, int rows, int size) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, first = vector_width * thread;
  for (int row = thread; row < rows; row += gridDim.x * blockDim.x) {
    x[row] = y[row] = flux[row] = 0;
    peak[row] = 0;
    pixels[row] = 0;
  }
  const double threshold = 5 * noise[1];
  if (first + vector_width <= size) {
    const float4 vector = *reinterpret_cast<const float4*>(&image[first]);
    const float values[vector_width] = {vector.x, vector.y, vector.z, vector.w};
    unsigned bytes = 0;
    for (int k = 0; k < vector_width; ++k) {
      if (!(values[k] > threshold)) continue;
      bytes |= 1u << 8 * k;
      parents[first + k] = first + k;
    }
    *reinterpret_cast<unsigned*>(&mask[first]) = bytes;
  } else {
    for (int pixel = first; pixel < size; ++pixel) {
      mask[pixel] = image[pixel] > threshold;
      if (mask[pixel]) parents[pixel] = pixel;
    }
  }
}

// The find of union-find. Other threads may change parents meanwhile, but only to earlier pixels of the same source. So
// each read is volatile: one whole value, old or new.
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

// Joins every pixel of a source with its left and its upper neighbour. If the left, the upper left and the upper pixel
// are in the source, other joins connect them already, and the join with the upper one is redundant (Playne and Hawick
// 2018).
__global__ void join_fours(const unsigned char* mask, int* parents, int width, int size) {
  const int first = vector_width * (blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned bytes = load_mask(mask, first, size);
  if (bytes == 0) return;
  for (int k = 0; k < vector_width; ++k) {
    const int pixel = first + k;
    if (!is_in_source(bytes, k)) continue;
    const bool has_left = pixel % width > 0 && mask[pixel - 1];
    const bool has_upper = pixel >= width && mask[pixel - width];
    if (has_left) join(parents, pixel, pixel - 1);
    if (has_upper && !(has_left && mask[pixel - width - 1])) join(parents, pixel, pixel - width);
  }
}

// Path compression: makes every pixel point to the root of its source. Also counts the sources that begin in each
// block.
__global__ void find_roots_of_fours(const unsigned char* mask, int* parents, int* block_roots, int size) {
  const int first = vector_width * (blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned bytes = load_mask(mask, first, size);
  int roots = 0;
  for (int k = 0; k < vector_width; ++k) {
    const int pixel = first + k;
    const int root = is_in_source(bytes, k) ? root_of(parents, pixel) : -1;
    if (root >= 0) static_cast<volatile int*>(parents)[pixel] = root;
    roots += __syncthreads_count(root == pixel);
  }
  if (threadIdx.x == 0) block_roots[blockIdx.x] = roots;
}

// Numbers the roots of all sources, 1, 2, ... in the order of the pixels, by an exclusive prefix sum. A root's parent
// becomes minus its number.
__global__ void number_fours(const unsigned char* mask, int* parents, const int* roots_before, int size) {
  if (roots_before[blockIdx.x] == roots_before[blockIdx.x + 1]) return;
  const int first = vector_width * (blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned bytes = load_mask(mask, first, size);
  unsigned roots = 0, all;
  for (int k = 0; k < vector_width; ++k)
    if (is_in_source(bytes, k) && parents[first + k] == first + k) ++roots;
  int number = roots_before[blockIdx.x] + block_exclusive_sum(roots, all);
  for (int k = 0; k < vector_width; ++k)
    if (is_in_source(bytes, k) && parents[first + k] == first + k) parents[first + k] = -++number;
}

// All pixels of a source get its number, the background 0. Each also adds itself to its source's row of the catalogue,
// if there is such a row. Pixels of a source are above zero, and such floats compare as integers with the same bits.
__global__ void label_and_measure_fours(const float* image, const unsigned char* mask, const int* parents, int* labels,
                                        double* x, double* y, double* flux, float* peak, int* pixels, int width,
                                        int rows, int size) {
  const int first = vector_width * (blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned bytes = load_mask(mask, first, size);
  int numbers[vector_width] = {0, 0, 0, 0};
  for (int k = 0; k < vector_width; ++k) {
    const int pixel = first + k;
    if (!is_in_source(bytes, k)) continue;
    const int parent = parents[pixel];
    numbers[k] = parent < 0 ? -parent : -parents[parent];
    const int row = numbers[k] - 1;
    if (row >= rows) continue;
    const double value = image[pixel];
    atomicAdd(&x[row], pixel % width * value);
    atomicAdd(&y[row], pixel / width * value);
    atomicAdd(&flux[row], value);
    atomicMax(reinterpret_cast<int*>(&peak[row]), __float_as_int(image[pixel]));
    atomicAdd(&pixels[row], 1);
  }
  if (first + vector_width <= size) {
    *reinterpret_cast<int4*>(&labels[first]) = make_int4(numbers[0], numbers[1], numbers[2], numbers[3]);
  } else {
    for (int k = 0; first + k < size; ++k) labels[first + k] = numbers[k];
  }
}
