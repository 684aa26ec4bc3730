// For: include_cub_cuh include_block_*_cuh include_warp_*_cuh include_device_*_cuh include_*cub_hpp
// CUB's primitives for warps and blocks, as far as programs of courses use them. They return what CUB returns, and need
// the same barriers between two uses of one storage, but their cost differs: one thread often does what CUB divides.
namespace cub {

// The line and column of a call, for the reports of its barriers. It is not an int, so that no argument converts to it.
struct gpulab_caller {
  int line_and_column;
  constexpr explicit gpulab_caller(int line_and_column) : line_and_column(line_and_column) {}
};
#define GPULAB_CALLER gpulab_caller caller = gpulab_caller(__builtin_LINE() + (int(GPULAB_COLUMN & 0x7ff) << 20))
// As GPULAB_INTRINSIC, for member functions, which must not be static.
#define GPULAB_CUB __attribute__((always_inline, artificial)) inline

GPULAB_INTRINSIC int gpulab_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

struct NullType {};
struct Sum {
  template <class T, class U> constexpr auto operator()(T a, U b) const { return a + b; }
};
struct Min {
  template <class T> constexpr T operator()(T a, T b) const { return b < a ? b : a; }
};
struct Max {
  template <class T> constexpr T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Equality {
  template <class T> constexpr bool operator()(const T& a, const T& b) const { return a == b; }
};
template <class Key, class Value>
struct KeyValuePair {
  Key key;
  Value value;
};

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <int items, class T, class Op> GPULAB_CUB T gpulab_reduced(const T (&values)[items], Op op) {
  T sum = values[0];
  for (int i = 1; i < items; ++i) sum = op(sum, values[i]);
  return sum;
}

// Returns a value that consists of these bits, for a thread in which CUB leaves the result undefined. A value of one
// byte stays as it is: no byte of the bits would be noticed, and most are not valid in a bool.
template <class T> GPULAB_LOCAL T gpulab_undefined(T value, unsigned bits) {
  constexpr size_t word = sizeof bits, bytes = sizeof(T) > 1 ? sizeof(T) : 0;
  if constexpr (__is_trivially_copyable(T)) {
    for (size_t i = 0; i + word <= bytes; i += word) __builtin_memcpy((char*)&value + i, &bits, word);
    __builtin_memcpy((char*)&value + bytes / word * word, (char*)&bits + word - bytes % word, bytes % word);
  }
  return value;
}

// The lanes of a warp, or of an aligned part of it.
template <class T, int lanes = GPULAB_WARP_SIZE>
class gpulab_warp {
 public:
  struct TempStorage {
    T values[lanes];
  };
  GPULAB_CUB explicit gpulab_warp(TempStorage& storage) : storage_(storage) {}

 protected:
  GPULAB_CUB void meet(gpulab_caller caller) const {
    const gpulab_lane_mask all =
        lanes >= int(warpSize) ? ~gpulab_lane_mask(0) : (gpulab_lane_mask(1) << lanes % warpSize) - 1;
    __syncwarp(all << (gpulab_lane() / lanes * lanes), caller.line_and_column & 0xfffff);
  }
  GPULAB_CUB int lane() const { return gpulab_lane() % lanes; }

  TempStorage& storage_;
};

template <class T, int lanes = GPULAB_WARP_SIZE>
class WarpReduce : public gpulab_warp<T, lanes> {
 public:
  using gpulab_warp<T, lanes>::gpulab_warp;
  template <class Op> GPULAB_CUB T Reduce(T input, Op op, int valid, GPULAB_CALLER) {
    this->storage_.values[this->lane()] = input;
    this->meet(caller);
    if (this->lane() != 0) return gpulab_undefined(input, gpulab_undefined_result("cub::WarpReduce", "lane"));
    for (int i = 1; i < valid; ++i) input = op(input, this->storage_.values[i]);
    return input;
  }
  template <class Op> GPULAB_CUB T Reduce(T input, Op op, GPULAB_CALLER) { return Reduce(input, op, lanes, caller); }
  GPULAB_CUB T Sum(T input, GPULAB_CALLER) { return Reduce(input, cub::Sum(), lanes, caller); }
  GPULAB_CUB T Sum(T input, int valid, GPULAB_CALLER) { return Reduce(input, cub::Sum(), valid, caller); }
  GPULAB_CUB T Max(T input, GPULAB_CALLER) { return Reduce(input, cub::Max(), lanes, caller); }
  GPULAB_CUB T Min(T input, GPULAB_CALLER) { return Reduce(input, cub::Min(), lanes, caller); }
};

template <class T, int lanes = GPULAB_WARP_SIZE>
class WarpScan : public gpulab_warp<T, lanes> {
 public:
  using gpulab_warp<T, lanes>::gpulab_warp;
  template <class Op> GPULAB_CUB void InclusiveScan(T input, T& output, Op op, T& aggregate, GPULAB_CALLER) {
    T sum = sum_before(input, op, aggregate, caller);
    output = this->lane() > 0 ? op(sum, input) : input;
  }
  template <class Op> GPULAB_CUB void InclusiveScan(T input, T& output, Op op, GPULAB_CALLER) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate, caller);
  }
  template <class Op> GPULAB_CUB void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate, GPULAB_CALLER) {
    T sum = sum_before(input, op, aggregate, caller);
    output = this->lane() > 0 ? op(initial, sum) : initial;
  }
  template <class Op> GPULAB_CUB void ExclusiveScan(T input, T& output, T initial, Op op, GPULAB_CALLER) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate, caller);
  }
  GPULAB_CUB void InclusiveSum(T input, T& output, GPULAB_CALLER) { InclusiveScan(input, output, cub::Sum(), caller); }
  GPULAB_CUB void InclusiveSum(T input, T& output, T& aggregate, GPULAB_CALLER) {
    InclusiveScan(input, output, cub::Sum(), aggregate, caller);
  }
  GPULAB_CUB void ExclusiveSum(T input, T& output, GPULAB_CALLER) {
    ExclusiveScan(input, output, T(), cub::Sum(), caller);
  }
  GPULAB_CUB void ExclusiveSum(T input, T& output, T& aggregate, GPULAB_CALLER) {
    ExclusiveScan(input, output, T(), cub::Sum(), aggregate, caller);
  }
  GPULAB_CUB T Broadcast(T input, unsigned source, GPULAB_CALLER) {
    if (this->lane() == int(source)) this->storage_.values[0] = input;
    this->meet(caller);
    return this->storage_.values[0];
  }

 private:
  // Returns the sum of the lanes before this one; in the first lane, its own value.
  template <class Op> GPULAB_CUB T sum_before(T input, Op op, T& aggregate, gpulab_caller caller) {
    this->storage_.values[this->lane()] = input;
    this->meet(caller);
    T sum = this->storage_.values[0], before = sum;
    for (int i = 1; i < lanes; ++i) {
      if (i == this->lane()) before = sum;
      sum = op(sum, this->storage_.values[i]);
    }
    aggregate = sum;
    return before;
  }
};

template <class T, int x, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int y = 1, int z = 1, int = 0>
class BlockReduce {
 public:
  struct TempStorage {
    T values[x * y * z];
  };
  GPULAB_CUB explicit BlockReduce(TempStorage& storage) : storage_(storage) {}
  template <class Op> GPULAB_CUB T Reduce(T input, Op op, int valid, GPULAB_CALLER) {
    const int thread = gpulab_thread();
    storage_.values[thread] = input;
    gpulab_wait(caller.line_and_column);
    if (thread != 0) return gpulab_undefined(input, gpulab_undefined_result("cub::BlockReduce", "thread"));
    for (int i = 1; i < valid; ++i) input = op(input, storage_.values[i]);
    return input;
  }
  template <class Op> GPULAB_CUB T Reduce(T input, Op op, GPULAB_CALLER) {
    return Reduce(input, op, x * y * z, caller);
  }
  template <int items, class Op> GPULAB_CUB T Reduce(T (&inputs)[items], Op op, GPULAB_CALLER) {
    return Reduce(gpulab_reduced(inputs, op), op, x * y * z, caller);
  }
  GPULAB_CUB T Sum(T input, GPULAB_CALLER) { return Reduce(input, cub::Sum(), x * y * z, caller); }
  GPULAB_CUB T Sum(T input, int valid, GPULAB_CALLER) { return Reduce(input, cub::Sum(), valid, caller); }
  template <int items> GPULAB_CUB T Sum(T (&inputs)[items], GPULAB_CALLER) {
    return Reduce(inputs, cub::Sum(), caller);
  }

 private:
  TempStorage& storage_;
};

template <class T, int x, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1, int = 0>
class BlockScan {
 public:
  struct TempStorage {
    T values[x * y * z], prefix;
  };
  GPULAB_CUB explicit BlockScan(TempStorage& storage) : storage_(storage) {}
  template <class Op> GPULAB_CUB void InclusiveScan(T input, T& output, Op op, T& aggregate, GPULAB_CALLER) {
    const T before = sum_before(input, op, caller);
    output = gpulab_thread() > 0 ? op(before, input) : input;
    aggregate = storage_.values[x * y * z - 1];
  }
  template <class Op> GPULAB_CUB void InclusiveScan(T input, T& output, Op op, GPULAB_CALLER) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate, caller);
  }
  template <int items, class Op>
  GPULAB_CUB void InclusiveScan(T (&input)[items], T (&output)[items], Op op, T& aggregate, GPULAB_CALLER) {
    T before = sum_before(gpulab_reduced(input, op), op, caller);
    for (int i = 0; i < items; ++i) before = output[i] = i > 0 || gpulab_thread() > 0 ? op(before, input[i]) : input[i];
    aggregate = storage_.values[x * y * z - 1];
  }
  template <int items, class Op>
  GPULAB_CUB void InclusiveScan(T (&input)[items], T (&output)[items], Op op, GPULAB_CALLER) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate, caller);
  }
  template <class Op> GPULAB_CUB void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate, GPULAB_CALLER) {
    const T before = sum_before(input, op, caller);
    output = gpulab_thread() > 0 ? op(initial, before) : initial;
    aggregate = storage_.values[x * y * z - 1];
  }
  template <class Op> GPULAB_CUB void ExclusiveScan(T input, T& output, T initial, Op op, GPULAB_CALLER) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate, caller);
  }
  template <int items, class Op>
  GPULAB_CUB void ExclusiveScan(T (&input)[items], T (&output)[items], T initial, Op op, T& aggregate, GPULAB_CALLER) {
    const T before = sum_before(gpulab_reduced(input, op), op, caller);
    T sum = gpulab_thread() > 0 ? op(initial, before) : initial;
    for (int i = 0; i < items; ++i) {
      const T value = input[i];  // may be the output
      output[i] = sum;
      sum = op(sum, value);
    }
    aggregate = storage_.values[x * y * z - 1];
  }
  template <int items, class Op>
  GPULAB_CUB void ExclusiveScan(T (&input)[items], T (&output)[items], T initial, Op op, GPULAB_CALLER) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate, caller);
  }
  template <class Values> GPULAB_CUB void InclusiveSum(Values& input, Values& output, GPULAB_CALLER) {
    InclusiveScan(input, output, cub::Sum(), caller);
  }
  GPULAB_CUB void InclusiveSum(const T& input, T& output, GPULAB_CALLER) {
    InclusiveScan(input, output, cub::Sum(), caller);
  }
  template <class Values> GPULAB_CUB void InclusiveSum(Values& input, Values& output, T& aggregate, GPULAB_CALLER) {
    InclusiveScan(input, output, cub::Sum(), aggregate, caller);
  }
  template <class Values> GPULAB_CUB void ExclusiveSum(Values& input, Values& output, GPULAB_CALLER) {
    ExclusiveScan(input, output, T(), cub::Sum(), caller);
  }
  GPULAB_CUB void ExclusiveSum(const T& input, T& output, GPULAB_CALLER) {
    ExclusiveScan(input, output, T(), cub::Sum(), caller);
  }
  template <class Values> GPULAB_CUB void ExclusiveSum(Values& input, Values& output, T& aggregate, GPULAB_CALLER) {
    ExclusiveScan(input, output, T(), cub::Sum(), aggregate, caller);
  }
  // The first warp calls the callback with the block's sum. In the first lane it returns the sum before the block.
  template <class Values, class Callback>
  GPULAB_CUB void ExclusiveSum(Values& input, Values& output, Callback& callback, GPULAB_CALLER) {
    ExclusiveSum(input, output, caller);
    add(prefix_of(callback, caller), output);
  }
  template <class Values, class Callback>
  GPULAB_CUB void InclusiveSum(Values& input, Values& output, Callback& callback, GPULAB_CALLER) {
    InclusiveScan(input, output, cub::Sum(), caller);
    add(prefix_of(callback, caller), output);
  }

 private:
  // Returns the sum of the threads before this one; in the first thread, a value of no meaning.
  template <class Op> GPULAB_CUB T sum_before(T input, Op op, gpulab_caller caller) {
    const int thread = gpulab_thread();
    storage_.values[thread] = input;
    gpulab_wait(caller.line_and_column);
    if (thread == 0)
      for (int i = 1; i < x * y * z; ++i) storage_.values[i] = op(storage_.values[i - 1], storage_.values[i]);
    gpulab_wait(caller.line_and_column);
    return storage_.values[thread > 0 ? thread - 1 : 0];
  }
  template <class Callback> GPULAB_CUB T prefix_of(Callback& callback, gpulab_caller caller) {
    if (gpulab_thread() < int(warpSize)) {
      const T prefix = callback(storage_.values[x * y * z - 1]);
      if (gpulab_thread() == 0) storage_.prefix = prefix;
    }
    gpulab_wait(caller.line_and_column);
    return storage_.prefix;
  }
  GPULAB_CUB void add(T prefix, T& output) { output = prefix + output; }
  template <int items> GPULAB_CUB void add(T prefix, T (&output)[items]) {
    for (T& value : output) value = prefix + value;
  }

  TempStorage& storage_;
};

// Returns the index of a thread's item: next to its other items (blocked), or a block apart from them (striped).
template <int items, bool is_striped> GPULAB_CUB int gpulab_index_of(int item, int threads) {
  return is_striped ? item * threads + gpulab_thread() : gpulab_thread() * items + item;
}

// The storage of loads and stores. Algorithms that exchange items between threads have a barrier and use the storage.
// So a second use needs a barrier before it, as with CUB.
template <int threads, bool exchanges>
struct gpulab_exchange {
  struct TempStorage {
    char used[exchanges ? threads : 1];
  };
  GPULAB_CUB static void meet(TempStorage& storage, gpulab_caller caller) {
    if (!exchanges) return;
    const int thread = gpulab_thread();
    storage.used[thread] = 1;
    gpulab_wait(caller.line_and_column);
    const volatile char neighbour = storage.used[(thread + 1) % threads];
    (void)neighbour;  // read so that it races with the next use, if there is no barrier between them
  }
};

template <class T, int x, int items, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int y = 1, int z = 1, int = 0>
class BlockLoad {
  using Exchange = gpulab_exchange<x * y * z, (algorithm >= BLOCK_LOAD_TRANSPOSE)>;

 public:
  using TempStorage = typename Exchange::TempStorage;
  GPULAB_CUB BlockLoad() : storage_(nullptr) {}
  GPULAB_CUB explicit BlockLoad(TempStorage& storage) : storage_(&storage) {}
  template <class From> GPULAB_CUB void Load(From from, T (&to)[items], GPULAB_CALLER) {
    Load(from, to, x * y * z * items, caller);
  }
  template <class From> GPULAB_CUB void Load(From from, T (&to)[items], int valid, GPULAB_CALLER) {
    for (int i = 0; i < items; ++i)
      if (index_of(i) < valid) to[i] = from[index_of(i)];
    if (storage_) Exchange::meet(*storage_, caller);
  }
  template <class From, class Value>
  GPULAB_CUB void Load(From from, T (&to)[items], int valid, Value otherwise, GPULAB_CALLER) {
    for (int i = 0; i < items; ++i) to[i] = index_of(i) < valid ? T(from[index_of(i)]) : T(otherwise);
    if (storage_) Exchange::meet(*storage_, caller);
  }

 private:
  GPULAB_CUB int index_of(int item) { return gpulab_index_of<items, algorithm == BLOCK_LOAD_STRIPED>(item, x * y * z); }

  TempStorage* storage_;
};

template <class T, int x, int items, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int y = 1, int z = 1, int = 0>
class BlockStore {
  using Exchange = gpulab_exchange<x * y * z, (algorithm >= BLOCK_STORE_TRANSPOSE)>;

 public:
  using TempStorage = typename Exchange::TempStorage;
  GPULAB_CUB BlockStore() : storage_(nullptr) {}
  GPULAB_CUB explicit BlockStore(TempStorage& storage) : storage_(&storage) {}
  template <class To> GPULAB_CUB void Store(To to, T (&from)[items], GPULAB_CALLER) {
    Store(to, from, x * y * z * items, caller);
  }
  template <class To> GPULAB_CUB void Store(To to, T (&from)[items], int valid, GPULAB_CALLER) {
    if (storage_) Exchange::meet(*storage_, caller);
    for (int i = 0; i < items; ++i) {
      const int index = gpulab_index_of<items, algorithm == BLOCK_STORE_STRIPED>(i, x * y * z);
      if (index < valid) to[index] = from[i];
    }
  }

 private:
  TempStorage* storage_;
};

template <class T, int x, int items, int bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int y = 1, int z = 1,
          int = 0>
class BlockHistogram {
 public:
  struct TempStorage {};
  GPULAB_CUB BlockHistogram() {}
  GPULAB_CUB explicit BlockHistogram(TempStorage&) {}
  template <class Counts> GPULAB_CUB void InitHistogram(Counts& counts) {
    for (int bin = gpulab_thread(); bin < bins; bin += x * y * z) counts[bin] = 0;
  }
  template <class Counts> GPULAB_CUB void Composite(T (&values)[items], Counts& counts) {
    for (const T& value : values) atomicAdd(&counts[value], 1);
  }
  template <class Counts> GPULAB_CUB void Histogram(T (&values)[items], Counts& counts, GPULAB_CALLER) {
    InitHistogram(counts);
    gpulab_wait(caller.line_and_column);
    Composite(values, counts);
  }
};

// Returns bits that, as unsigned numbers, are in the order of the keys.
template <class Key> inline unsigned long long gpulab_order_of(Key key) {
  constexpr int width = 8 * sizeof(Key);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &key, sizeof(Key));
  const bool is_negative = bits >> (width - 1) & 1, is_floating_point = Key(0.5) != Key(0);
  if (is_floating_point && is_negative) return ~bits << (64 - width) >> (64 - width);
  return Key(-1) < Key(0) ? bits ^ 1ull << (width - 1) : bits;
}
// Returns whether the first key comes before the second, by the bits from begin_bit to before end_bit.
template <class Key> inline bool gpulab_is_before(Key a, Key b, bool is_descending, int begin_bit, int end_bit) {
  const unsigned long long mask = end_bit - begin_bit >= 64 ? ~0ull : (1ull << (end_bit - begin_bit)) - 1;
  const unsigned long long first = gpulab_order_of(a) >> begin_bit & mask,
                           second = gpulab_order_of(b) >> begin_bit & mask;
  return is_descending ? second < first : first < second;
}

template <class Key, int x, int items, class Value = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int y = 1, int z = 1>
class BlockRadixSort {
 public:
  struct TempStorage {
    Key keys[x * y * z * items];
    Value values[x * y * z * items];
  };
  static constexpr int all_bits = 8 * sizeof(Key);
  GPULAB_CUB explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}
  GPULAB_CUB void Sort(Key (&keys)[items], int begin = 0, int end = all_bits, GPULAB_CALLER) {
    sort<false>(keys, none_, /*is_descending=*/false, begin, end, caller);
  }
  GPULAB_CUB void SortDescending(Key (&keys)[items], int begin = 0, int end = all_bits, GPULAB_CALLER) {
    sort<false>(keys, none_, /*is_descending=*/true, begin, end, caller);
  }
  GPULAB_CUB void SortBlockedToStriped(Key (&keys)[items], int begin = 0, int end = all_bits, GPULAB_CALLER) {
    sort<true>(keys, none_, /*is_descending=*/false, begin, end, caller);
  }
  GPULAB_CUB void Sort(Key (&keys)[items], Value (&values)[items], int begin = 0, int end = all_bits, GPULAB_CALLER) {
    sort<false>(keys, values, /*is_descending=*/false, begin, end, caller);
  }
  GPULAB_CUB void SortDescending(Key (&keys)[items], Value (&values)[items], int begin = 0, int end = all_bits,
                                 GPULAB_CALLER) {
    sort<false>(keys, values, /*is_descending=*/true, begin, end, caller);
  }
  GPULAB_CUB void SortBlockedToStriped(Key (&keys)[items], Value (&values)[items], int begin = 0, int end = all_bits,
                                       GPULAB_CALLER) {
    sort<true>(keys, values, /*is_descending=*/false, begin, end, caller);
  }

 private:
  // Sorts by rank: each item counts the items that come before it.
  template <bool is_striped>
  GPULAB_CUB void sort(Key (&keys)[items], Value (&values)[items], bool is_descending, int begin, int end,
                       gpulab_caller caller) {
    constexpr int count = x * y * z * items;
    const int first = gpulab_thread() * items;
    for (int i = 0; i < items; ++i) storage_.keys[first + i] = keys[i];
    gpulab_wait(caller.line_and_column);
    int ranks[items] = {};
    for (int other = 0; other < count; ++other) {
      const Key key = storage_.keys[other];
      for (int i = 0; i < items; ++i)
        ranks[i] += other < first + i ? !gpulab_is_before(keys[i], key, is_descending, begin, end)
                                       : gpulab_is_before(key, keys[i], is_descending, begin, end);
    }
    gpulab_wait(caller.line_and_column);
    for (int i = 0; i < items; ++i) {
      storage_.keys[ranks[i]] = keys[i];
      storage_.values[ranks[i]] = values[i];
    }
    gpulab_wait(caller.line_and_column);
    for (int i = 0; i < items; ++i) {
      const int index = gpulab_index_of<items, is_striped>(i, x * y * z);
      keys[i] = storage_.keys[index];
      values[i] = storage_.values[index];
    }
  }

  TempStorage& storage_;
  Value none_[items];
};

}  // namespace cub
