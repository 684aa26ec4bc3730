// Barriers and fences.
#define GPULAB_LINE int line = __builtin_LINE()
GPULAB_INTRINSIC void __syncthreads(GPULAB_LINE) {
  gpulab_barrier(0, line);
  asm volatile("" ::: "memory");
}
GPULAB_INTRINSIC int __syncthreads_count(int predicate, GPULAB_LINE) { return gpulab_barrier(predicate, line); }
GPULAB_INTRINSIC int __syncthreads_or(int predicate, GPULAB_LINE) { return gpulab_barrier(predicate, line) > 0; }
GPULAB_INTRINSIC int __syncthreads_and(int predicate, GPULAB_LINE) { return gpulab_barrier(!predicate, line) == 0; }
GPULAB_INTRINSIC void __syncwarp(unsigned mask = 0xffffffffu, GPULAB_LINE) {
  gpulab_shuffle(mask, 0, 0, line);
  asm volatile("" ::: "memory");
}
#ifdef GPULAB_HOOKED
GPULAB_INTRINSIC void __threadfence() { gpulab_fence(); }
#else
GPULAB_INTRINSIC void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif
GPULAB_INTRINSIC void __threadfence_block() { __threadfence(); }
GPULAB_INTRINSIC void __threadfence_system() { __threadfence(); }

// Warp shuffles: the value of another lane of the warp.
GPULAB_INTRINSIC unsigned gpulab_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
template <class T>
GPULAB_INTRINSIC T gpulab_from_lane(unsigned mask, T mine, unsigned source, int line) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &mine, sizeof(T));
  const unsigned long long theirs = gpulab_shuffle(mask, bits, source, line);
  T value;
  __builtin_memcpy(&value, &theirs, sizeof(T));
  return value;
}
template <class T>
GPULAB_INTRINSIC T __shfl_sync(unsigned mask, T value, int source, int width = 32, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), segment = lane & ~(width - 1u);
  return gpulab_from_lane(mask, value, segment + (source & (width - 1)), line);
}
template <class T>
GPULAB_INTRINSIC T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), place = lane & (width - 1u);
  return gpulab_from_lane(mask, value, place >= delta ? lane - delta : lane, line);
}
template <class T>
GPULAB_INTRINSIC T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), place = lane & (width - 1u);
  return gpulab_from_lane(mask, value, place + delta < unsigned(width) ? lane + delta : lane, line);
}
template <class T>
GPULAB_INTRINSIC T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, GPULAB_LINE) {
  const unsigned lane = gpulab_lane(), source = lane ^ unsigned(lanes);
  return gpulab_from_lane(mask, value, (source & ~(width - 1u)) <= (lane & ~(width - 1u)) ? source % 32 : lane, line);
}

// Warp votes, matches and reductions over the lanes in the mask.
template <class Combine>
GPULAB_INTRINSIC unsigned long long gpulab_over_lanes(unsigned mask, unsigned long long mine, int line,
                                                      Combine combine) {
  unsigned long long lanes[32], result = 0;
  gpulab_gather(mask, mine, lanes, line);
  bool first = true;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1)) continue;
    result = combine(result, lanes[lane], lane, first);
    first = false;
  }
  return result;
}
GPULAB_INTRINSIC unsigned __ballot_sync(unsigned mask, int predicate, GPULAB_LINE) {
  return unsigned(gpulab_over_lanes(mask, predicate != 0, line, [](auto all, auto bit, int lane, bool) {
    return all | bit << lane;
  }));
}
GPULAB_INTRINSIC int __any_sync(unsigned mask, int predicate, GPULAB_LINE) {
  return __ballot_sync(mask, predicate, line) != 0;
}
GPULAB_INTRINSIC int __all_sync(unsigned mask, int predicate, GPULAB_LINE) {
  return __ballot_sync(mask, !predicate, line) == 0;
}
GPULAB_INTRINSIC unsigned __activemask() { return gpulab_active_mask(); }
template <class T>
GPULAB_INTRINSIC unsigned __match_any_sync(unsigned mask, T value, GPULAB_LINE) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return unsigned(gpulab_over_lanes(mask, bits, line, [bits](auto same, auto theirs, int lane, bool) {
    return same | (unsigned long long)(theirs == bits) << lane;
  }));
}
template <class T>
GPULAB_INTRINSIC unsigned __match_all_sync(unsigned mask, T value, int* all_same, GPULAB_LINE) {
  const unsigned same = __match_any_sync(mask, value, line);
  *all_same = same == mask;
  return *all_same ? mask : 0;
}
#define GPULAB_REDUCE(type, name, expression)                                                            \
  GPULAB_INTRINSIC type __reduce_##name##_sync(unsigned mask, type value, GPULAB_LINE) {                 \
    return type(gpulab_over_lanes(mask, (unsigned)value, line, [](auto left, auto right, int, bool first) { \
      const type a = type(left), b = type(right);                                                        \
      return (unsigned long long)(unsigned)(first ? b : (expression));                                   \
    }));                                                                                                 \
  }
GPULAB_REDUCE(int, add, a + b)
GPULAB_REDUCE(int, min, a < b ? a : b)
GPULAB_REDUCE(int, max, a > b ? a : b)
GPULAB_REDUCE(unsigned, add, a + b)
GPULAB_REDUCE(unsigned, min, a < b ? a : b)
GPULAB_REDUCE(unsigned, max, a > b ? a : b)
GPULAB_REDUCE(unsigned, and, a& b)
GPULAB_REDUCE(unsigned, or, a | b)
GPULAB_REDUCE(unsigned, xor, a ^ b)
#undef GPULAB_REDUCE
#undef GPULAB_LINE
