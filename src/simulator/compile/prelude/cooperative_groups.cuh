// For: include_cooperative_groups_h include_cooperative_groups_reduce_h include_cooperative_groups_scan_h
// For: include_cooperative_groups_memcpy_async_h
// cooperative_groups.h, cooperative_groups/reduce.h and scan.h, on top of the device's barriers and shuffles.
#define GPULAB_HERE int line = __builtin_LINE()
#define GPULAB_GROUP __attribute__((always_inline, artificial)) inline
namespace cooperative_groups {
GPULAB_INTRINSIC unsigned gpulab_rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
GPULAB_INTRINSIC unsigned gpulab_block_size() { return blockDim.x * blockDim.y * blockDim.z; }
// Returns a mask of the `size` aligned lanes of a warp that include the calling thread's.
GPULAB_INTRINSIC gpulab_lane_mask gpulab_part_of_warp(unsigned size) {
  const gpulab_lane_mask all = ~gpulab_lane_mask(0) >> (warpSize - (size < warpSize ? size : warpSize));
  return all << (gpulab_lane() & ~(size - 1));
}

// Shuffles a value of at most 32 bytes, word by word.
template <class T, class Shuffle> GPULAB_GROUP T gpulab_by_words(T value, Shuffle shuffle) {
  static_assert(sizeof(T) <= 32, "a group shuffles at most 32 bytes");
  if constexpr (sizeof(T) <= 8) {
    return shuffle(value);
  } else {
    unsigned words[(sizeof(T) + 3) / 4];
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned& word : words) word = shuffle(word);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
  }
}

// Some lanes of one warp, as a mask: the base class of tiles and of coalesced groups. A lane's rank is the number of
// lower lanes in the mask.
class gpulab_lanes {
 public:
  GPULAB_GROUP void sync(GPULAB_HERE) const { __syncwarp(mask_, line); }
  GPULAB_GROUP unsigned thread_rank() const { return __builtin_popcountll(mask_ & ((gpulab_lane_mask(1) << gpulab_lane()) - 1)); }
  GPULAB_GROUP unsigned size() const { return __builtin_popcountll(mask_); }
  GPULAB_GROUP unsigned num_threads() const { return size(); }
  template <class T> GPULAB_GROUP T shfl(T value, int rank, GPULAB_HERE) const {
    return gpulab_by_words(value, [&](auto word) { return gpulab_from_lane(mask_, word, lane_of(unsigned(rank) % size()), line); });
  }
  template <class T> GPULAB_GROUP T shfl_up(T value, unsigned delta, GPULAB_HERE) const {
    const unsigned rank = thread_rank();
    return gpulab_by_words(value, [&](auto word) { return gpulab_from_lane(mask_, word, lane_of(rank >= delta ? rank - delta : rank), line); });
  }
  template <class T> GPULAB_GROUP T shfl_down(T value, unsigned delta, GPULAB_HERE) const {
    const unsigned rank = thread_rank();
    return gpulab_by_words(value, [&](auto word) { return gpulab_from_lane(mask_, word, lane_of(rank + delta < size() ? rank + delta : rank), line); });
  }
  GPULAB_GROUP int any(int predicate, GPULAB_HERE) const { return __any_sync(mask_, predicate, line); }
  GPULAB_GROUP int all(int predicate, GPULAB_HERE) const { return __all_sync(mask_, predicate, line); }
  GPULAB_GROUP gpulab_lane_mask ballot(int predicate, GPULAB_HERE) const {
    return by_rank(__ballot_sync(mask_, predicate, line));
  }
  template <class T> GPULAB_GROUP gpulab_lane_mask match_any(T value, GPULAB_HERE) const {
    return by_rank(__match_any_sync(mask_, value, line));
  }
  template <class T> GPULAB_GROUP gpulab_lane_mask match_all(T value, int& all_same, GPULAB_HERE) const {
    int same = 0;
    const gpulab_lane_mask lanes = __match_all_sync(mask_, value, &same, line);
    all_same = same;
    return by_rank(lanes);
  }
  GPULAB_GROUP gpulab_lane_mask gpulab_mask() const { return mask_; }

 protected:
  GPULAB_GROUP explicit gpulab_lanes(gpulab_lane_mask mask) : mask_(mask) {}
  // Returns the lane of the thread with that rank; the first lane if there is none.
  GPULAB_GROUP unsigned lane_of(unsigned rank) const {
    gpulab_lane_mask remaining = mask_;
    for (; rank > 0; --rank) remaining &= remaining - 1;
    return unsigned(__builtin_ctzll(remaining ? remaining : mask_));
  }
  // Converts a mask of lanes to a mask of ranks.
  GPULAB_GROUP gpulab_lane_mask by_rank(gpulab_lane_mask lanes) const {
    gpulab_lane_mask ranks = 0;
    unsigned rank = 0;
    for (int lane = 0; lane < warpSize; ++lane)
      if (mask_ >> lane & 1) ranks |= (lanes >> lane & 1) << rank++;
    return ranks;
  }
  gpulab_lane_mask mask_;
};

class thread_block {
 public:
  static GPULAB_GROUP void sync(GPULAB_HERE) { __syncthreads(line); }
  static GPULAB_GROUP unsigned thread_rank() { return gpulab_rank_in_block(); }
  static GPULAB_GROUP dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static GPULAB_GROUP dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static GPULAB_GROUP dim3 group_dim() { return {blockDim.x, blockDim.y, blockDim.z}; }
  static GPULAB_GROUP dim3 dim_threads() { return group_dim(); }
  static GPULAB_GROUP unsigned size() { return gpulab_block_size(); }
  static GPULAB_GROUP unsigned num_threads() { return size(); }
};
GPULAB_INTRINSIC thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  static GPULAB_GROUP void sync(GPULAB_HERE) { gpulab_grid_barrier(line); }
  static GPULAB_GROUP bool is_valid() { return gpulab_is_cooperative(); }
  static GPULAB_GROUP unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static GPULAB_GROUP unsigned long long block_rank() {
    return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
  }
  static GPULAB_GROUP unsigned long long thread_rank() {
    return block_rank() * gpulab_block_size() + gpulab_rank_in_block();
  }
  static GPULAB_GROUP unsigned long long num_threads() { return num_blocks() * gpulab_block_size(); }
  static GPULAB_GROUP unsigned long long size() { return num_threads(); }
  static GPULAB_GROUP dim3 dim_blocks() { return {gridDim.x, gridDim.y, gridDim.z}; }
  static GPULAB_GROUP dim3 group_dim() { return dim_blocks(); }
  static GPULAB_GROUP dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static GPULAB_GROUP dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
};
GPULAB_INTRINSIC grid_group this_grid() { return {}; }

// Threads that arrived here together, or that a partition has put into one group.
class coalesced_group : public gpulab_lanes {
 public:
  GPULAB_GROUP explicit coalesced_group(gpulab_lane_mask mask, unsigned rank = 0, unsigned groups = 1)
      : gpulab_lanes(mask), rank_(rank), groups_(groups) {}
  GPULAB_GROUP unsigned meta_group_rank() const { return rank_; }
  GPULAB_GROUP unsigned meta_group_size() const { return groups_; }

 private:
  unsigned rank_, groups_;
};
GPULAB_INTRINSIC coalesced_group coalesced_threads(GPULAB_HERE) {
  return coalesced_group(__activemask(line));
}

template <unsigned Size, class Parent = void>
class thread_block_tile : public gpulab_lanes {
  static_assert(Size >= 1 && Size <= warpSize && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 threads in the simulator, or 64 with --warp-size 64");

 public:
  GPULAB_GROUP thread_block_tile(unsigned rank, unsigned groups)
      : gpulab_lanes(gpulab_part_of_warp(Size)), rank_(rank), groups_(groups) {}
  template <class Other>
  GPULAB_GROUP thread_block_tile(const thread_block_tile<Size, Other>& tile)
      : thread_block_tile(tile.meta_group_rank(), tile.meta_group_size()) {}
  GPULAB_GROUP unsigned thread_rank() const { return gpulab_lane() % Size; }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  GPULAB_GROUP unsigned meta_group_rank() const { return rank_; }
  GPULAB_GROUP unsigned meta_group_size() const { return groups_; }
  template <class T> GPULAB_GROUP T shfl(T value, int rank, GPULAB_HERE) const {
    return gpulab_by_words(value, [&](auto word) { return __shfl_sync(mask_, word, rank, int(Size), line); });
  }
  template <class T> GPULAB_GROUP T shfl_up(T value, unsigned delta, GPULAB_HERE) const {
    return gpulab_by_words(value, [&](auto word) { return __shfl_up_sync(mask_, word, delta, int(Size), line); });
  }
  template <class T> GPULAB_GROUP T shfl_down(T value, unsigned delta, GPULAB_HERE) const {
    return gpulab_by_words(value, [&](auto word) { return __shfl_down_sync(mask_, word, delta, int(Size), line); });
  }
  template <class T> GPULAB_GROUP T shfl_xor(T value, unsigned lanes, GPULAB_HERE) const {
    return gpulab_by_words(value, [&](auto word) { return __shfl_xor_sync(mask_, word, int(lanes), int(Size), line); });
  }

 private:
  unsigned rank_, groups_;
};
template <unsigned Size>
GPULAB_INTRINSIC thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
  return {gpulab_rank_in_block() / Size, (gpulab_block_size() + Size - 1) / Size};
}
template <unsigned Size, unsigned Outer, class Parent>
GPULAB_INTRINSIC thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(
    const thread_block_tile<Outer, Parent>& tile) {
  static_assert(Size <= Outer, "a tile cannot be larger than the tile that it is a part of");
  return {tile.thread_rank() / Size, Outer / Size};
}

// A group whose kind is known at run time only: lanes of a warp, or the block, for which the mask is 0.
class thread_group : public gpulab_lanes {
 public:
  GPULAB_GROUP thread_group(const thread_block&) : gpulab_lanes(0) {}
  GPULAB_GROUP thread_group(const gpulab_lanes& lanes) : gpulab_lanes(lanes) {}
  GPULAB_GROUP void sync(GPULAB_HERE) const {
    if (mask_) __syncwarp(mask_, line);
    else __syncthreads(line);
  }
  GPULAB_GROUP unsigned thread_rank() const { return mask_ ? gpulab_lanes::thread_rank() : gpulab_rank_in_block(); }
  GPULAB_GROUP unsigned size() const { return mask_ ? gpulab_lanes::size() : gpulab_block_size(); }
  GPULAB_GROUP unsigned num_threads() const { return size(); }
};
GPULAB_INTRINSIC thread_group tiled_partition(const thread_group&, unsigned size) {
  return coalesced_group(gpulab_part_of_warp(size));
}
template <class Group>
GPULAB_INTRINSIC coalesced_group binary_partition(const Group& group, bool predicate, GPULAB_HERE) {
  const gpulab_lane_mask yes = __ballot_sync(group.gpulab_mask(), predicate, line);
  return coalesced_group(predicate ? yes : group.gpulab_mask() & ~yes, predicate ? 0 : 1, 2);
}
template <class Group, class Label>
GPULAB_INTRINSIC coalesced_group labeled_partition(const Group& group, Label label, GPULAB_HERE) {
  return coalesced_group(__match_any_sync(group.gpulab_mask(), label, line));
}
GPULAB_INTRINSIC void sync(const thread_block& block, GPULAB_HERE) { block.sync(line); }
GPULAB_INTRINSIC void sync(const grid_group& grid, GPULAB_HERE) { grid.sync(line); }
GPULAB_INTRINSIC void sync(const gpulab_lanes& lanes, GPULAB_HERE) { lanes.sync(line); }
GPULAB_INTRINSIC void sync(const thread_group& group, GPULAB_HERE) { group.sync(line); }
template <class Group> GPULAB_INTRINSIC unsigned thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> GPULAB_INTRINSIC unsigned group_size(const Group& group) { return group.size(); }
template <class Group, class Function, class... Arguments>
GPULAB_INTRINSIC void invoke_one(const Group& group, Function function, Arguments... arguments) {
  if (group.thread_rank() == 0) function(arguments...);
}

#define GPULAB_OPERATION(name, expression)                                                    \
  template <class T = void> struct name {                                                     \
    GPULAB_GROUP T operator()(T a, T b) const { return expression; }                          \
  };                                                                                          \
  template <> struct name<void> {                                                             \
    template <class T> GPULAB_GROUP T operator()(T a, T b) const { return expression; }       \
  };
GPULAB_OPERATION(plus, a + b)
GPULAB_OPERATION(less, b < a ? b : a)
GPULAB_OPERATION(greater, a < b ? b : a)
GPULAB_OPERATION(bit_and, a& b)
GPULAB_OPERATION(bit_or, a | b)
GPULAB_OPERATION(bit_xor, a ^ b)
#undef GPULAB_OPERATION
// Reductions and scans go through the ranks in order, so operations that round give the same result on every run.
template <class Group, class T, class Operation>
GPULAB_INTRINSIC T reduce(const Group& group, T value, Operation operation, GPULAB_HERE) {
  T result = group.shfl(value, 0, line);
  for (unsigned rank = 1; rank < group.size(); ++rank) result = operation(result, group.shfl(value, int(rank), line));
  return result;
}
template <class Group, class T, class Operation>
GPULAB_INTRINSIC T inclusive_scan(const Group& group, T value, Operation operation, GPULAB_HERE) {
  T result = group.shfl(value, 0, line);
  for (unsigned rank = 1; rank < group.size(); ++rank) {
    const T theirs = group.shfl(value, int(rank), line);
    if (rank <= group.thread_rank()) result = operation(result, theirs);
  }
  return result;
}
template <class Group, class T>
GPULAB_INTRINSIC T inclusive_scan(const Group& group, T value, GPULAB_HERE) {
  return inclusive_scan(group, value, plus<T>(), line);
}
template <class Group, class T, class Operation>
GPULAB_INTRINSIC T exclusive_scan(const Group& group, T value, Operation operation, GPULAB_HERE) {
  T result = T();
  for (unsigned rank = 0; rank < group.size(); ++rank) {
    const T theirs = group.shfl(value, int(rank), line);
    if (rank < group.thread_rank()) result = rank == 0 ? theirs : operation(result, theirs);
  }
  return result;
}
template <class Group, class T>
GPULAB_INTRINSIC T exclusive_scan(const Group& group, T value, GPULAB_HERE) {
  return exclusive_scan(group, value, plus<T>(), line);
}
}  // namespace cooperative_groups
#undef GPULAB_GROUP
#undef GPULAB_HERE
