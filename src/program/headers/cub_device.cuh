// For: include_cub_cuh include_device_*_cuh include_*cub_hpp
// CUB's primitives for the whole device, in two calls: the first returns the size of the temporary memory. The work is
// queued in a stream (program/runtime/library_work.cpp), and the program's own code does it, in one loop.
namespace cub {

// Memory that a call reads or writes through a pointer; none for an iterator that computes its elements.
template <class T> inline gpulab_operand gpulab_reads(const char* name, T* address, size_t count) {
  return {name, address, sizeof(T), count, true, false};
}
template <class T> inline gpulab_operand gpulab_writes(const char* name, T* address, size_t count) {
  return {name, address, sizeof(T), count, false, true};
}
template <class It> inline gpulab_operand gpulab_reads(const char* name, const It&, size_t) {
  return {name, nullptr, 1, 0, true, false};
}
template <class It> inline gpulab_operand gpulab_writes(const char* name, const It&, size_t) {
  return {name, nullptr, 1, 0, false, true};
}

// Gives the size of temporary memory at the first call, and queues the work at the second. Only a sort needs memory for
// each element. The others ask for a fixed size, since CUB's size is never 0.
template <size_t n, class Work>
GPULAB_INTRINSIC cudaError_t gpulab_queue(const char* call, void* temporary, size_t& bytes,
                                          const gpulab_operand (&operands)[n], cudaStream_t stream, Work work,
                                          size_t needed = 1024) {
  if (!temporary) {
    bytes = needed;
    gpulab_note_size_query(call, operands, n);
    return cudaSuccess;
  }
  if (bytes < needed) return gpulab_refuse_storage(call, operands, n, bytes, needed);
  gpulab_operand all[n + 1];
  for (size_t i = 0; i < n; ++i) all[i] = operands[i];
  all[n] = gpulab_writes("d_temp_storage", static_cast<char*>(temporary), needed);
  return gpulab_queue_work(
      call, all, n + 1, stream, [](void* state) { (*static_cast<Work*>(state))(); },
      [](void* state) { delete static_cast<Work*>(state); }, new Work(work));
}

// The type of an iterator's elements.
template <class In> struct gpulab_element { typedef typename In::value_type type; };
template <class T> struct gpulab_element<T*> { typedef T type; };
template <class T> struct gpulab_element<const T*> { typedef T type; };
template <class In> using gpulab_value_of = typename gpulab_element<In>::type;

struct DeviceReduce {
  template <class In, class Out, class Op, class T>
  GPULAB_INTRINSIC cudaError_t Reduce(void* temporary, size_t& bytes, In in, Out out, int count, Op op, T initial,
                                      cudaStream_t stream = 0, const char* call = "cub::DeviceReduce::Reduce") {
    return gpulab_queue(call, temporary, bytes, {gpulab_reads("d_in", in, count), gpulab_writes("d_out", out, 1)},
                        stream, [=] {
                          T sum = initial;
                          for (int i = 0; i < count; ++i) sum = op(sum, in[i]);
                          *out = sum;
                        });
  }
  template <class In, class Out>
  GPULAB_INTRINSIC cudaError_t Sum(void* temporary, size_t& bytes, In in, Out out, int count, cudaStream_t stream = 0) {
    return Reduce(temporary, bytes, in, out, count, cub::Sum(), gpulab_value_of<In>(0), stream,
                  "cub::DeviceReduce::Sum");
  }
  template <class In, class Out>
  GPULAB_INTRINSIC cudaError_t Min(void* temporary, size_t& bytes, In in, Out out, int count, cudaStream_t stream = 0) {
    return best(temporary, bytes, in, out, count, cub::Min(), stream, "cub::DeviceReduce::Min");
  }
  template <class In, class Out>
  GPULAB_INTRINSIC cudaError_t Max(void* temporary, size_t& bytes, In in, Out out, int count, cudaStream_t stream = 0) {
    return best(temporary, bytes, in, out, count, cub::Max(), stream, "cub::DeviceReduce::Max");
  }
  template <class In, class Out>
  GPULAB_INTRINSIC cudaError_t ArgMin(void* temporary, size_t& bytes, In in, Out out, int count,
                                      cudaStream_t stream = 0) {
    return index_of_best(
        temporary, bytes, in, out, count, [](auto a, auto b) { return a < b; }, stream, "cub::DeviceReduce::ArgMin");
  }
  template <class In, class Out>
  GPULAB_INTRINSIC cudaError_t ArgMax(void* temporary, size_t& bytes, In in, Out out, int count,
                                      cudaStream_t stream = 0) {
    return index_of_best(
        temporary, bytes, in, out, count, [](auto a, auto b) { return b < a; }, stream, "cub::DeviceReduce::ArgMax");
  }

 private:
  template <class In, class Out, class Op>
  GPULAB_INTRINSIC cudaError_t best(void* temporary, size_t& bytes, In in, Out out, int count, Op op,
                                    cudaStream_t stream, const char* call) {
    return gpulab_queue(call, temporary, bytes, {gpulab_reads("d_in", in, count), gpulab_writes("d_out", out, 1)},
                        stream, [=] {
                          if (count == 0) return;
                          gpulab_value_of<In> value = in[0];
                          for (int i = 1; i < count; ++i) value = op(value, gpulab_value_of<In>(in[i]));
                          *out = value;
                        });
  }
  template <class In, class Out, class Better>
  GPULAB_INTRINSIC cudaError_t index_of_best(void* temporary, size_t& bytes, In in, Out out, int count,
                                             Better is_better, cudaStream_t stream, const char* call) {
    return gpulab_queue(call, temporary, bytes, {gpulab_reads("d_in", in, count), gpulab_writes("d_out", out, 1)},
                        stream, [=] {
                          int index = 0;
                          for (int i = 1; i < count; ++i)
                            if (is_better(in[i], in[index])) index = i;
                          if (count > 0) *out = {index, in[index]};
                        });
  }
};

struct DeviceScan {
  template <class In, class Out, class Op, class T>
  GPULAB_INTRINSIC cudaError_t ExclusiveScan(void* temporary, size_t& bytes, In in, Out out, Op op, T initial,
                                             int count, cudaStream_t stream = 0,
                                             const char* call = "cub::DeviceScan::ExclusiveScan") {
    return gpulab_queue(call, temporary, bytes, {gpulab_reads("d_in", in, count), gpulab_writes("d_out", out, count)},
                        stream, [=] {
                          T sum = initial;
                          for (int i = 0; i < count; ++i) {
                            const T value = in[i];  // may be the output
                            out[i] = sum;
                            sum = op(sum, value);
                          }
                        });
  }
  template <class In, class Out, class Op>
  GPULAB_INTRINSIC cudaError_t InclusiveScan(void* temporary, size_t& bytes, In in, Out out, Op op, int count,
                                             cudaStream_t stream = 0,
                                             const char* call = "cub::DeviceScan::InclusiveScan") {
    return gpulab_queue(call, temporary, bytes, {gpulab_reads("d_in", in, count), gpulab_writes("d_out", out, count)},
                        stream, [=] {
                          if (count == 0) return;
                          gpulab_value_of<In> sum = in[0];
                          out[0] = sum;
                          for (int i = 1; i < count; ++i) out[i] = sum = op(sum, in[i]);
                        });
  }
  template <class In, class Out>
  GPULAB_INTRINSIC cudaError_t ExclusiveSum(void* temporary, size_t& bytes, In in, Out out, int count,
                                            cudaStream_t stream = 0) {
    return ExclusiveScan(temporary, bytes, in, out, cub::Sum(), gpulab_value_of<In>(0), count, stream,
                         "cub::DeviceScan::ExclusiveSum");
  }
  template <class In, class Out>
  GPULAB_INTRINSIC cudaError_t InclusiveSum(void* temporary, size_t& bytes, In in, Out out, int count,
                                            cudaStream_t stream = 0) {
    return InclusiveScan(temporary, bytes, in, out, cub::Sum(), count, stream, "cub::DeviceScan::InclusiveSum");
  }
};

// Returns the indices of the elements in sorted order, by a stable merge sort.
template <class Before> inline const int* gpulab_sorted(int count, Before is_before) {
  int *order = new int[count], *merged = new int[count];
  for (int i = 0; i < count; ++i) order[i] = i;
  for (long long width = 1; width < count; width *= 2) {
    for (long long begin = 0; begin < count; begin += 2 * width) {
      const long long middle = begin + width < count ? begin + width : count,
                      end = middle + width < count ? middle + width : count;
      long long left = begin, right = middle;
      for (long long to = begin; to < end; ++to)
        merged[to] =
            right == end || (left < middle && !is_before(order[right], order[left])) ? order[left++] : order[right++];
    }
    int* const other = order;
    order = merged;
    merged = other;
  }
  delete[] merged;
  return order;
}

// Two arrays between which a sort alternates: afterwards, Current() is the one with the result.
template <class T> struct DoubleBuffer {
  T* d_buffers[2];
  int selector = 0;
  DoubleBuffer() : d_buffers{} {}
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() const { return d_buffers[selector]; }
  T* Alternate() const { return d_buffers[selector ^ 1]; }
};

struct DeviceRadixSort {
  template <class K>
  GPULAB_INTRINSIC cudaError_t SortKeys(void* temporary, size_t& bytes, const K* keys, K* sorted, int count,
                                        int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0) {
    return sort(temporary, bytes, keys, sorted, (const char*)nullptr, (char*)nullptr, count, /*is_descending=*/false,
                begin, end, stream, "cub::DeviceRadixSort::SortKeys");
  }
  template <class K>
  GPULAB_INTRINSIC cudaError_t SortKeysDescending(void* temporary, size_t& bytes, const K* keys, K* sorted, int count,
                                                  int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0) {
    return sort(temporary, bytes, keys, sorted, (const char*)nullptr, (char*)nullptr, count, /*is_descending=*/true,
                begin, end, stream, "cub::DeviceRadixSort::SortKeysDescending");
  }
  template <class K, class V>
  GPULAB_INTRINSIC cudaError_t SortPairs(void* temporary, size_t& bytes, const K* keys, K* sorted, const V* values,
                                         V* moved, int count, int begin = 0, int end = 8 * sizeof(K),
                                         cudaStream_t stream = 0) {
    return sort(temporary, bytes, keys, sorted, values, moved, count, /*is_descending=*/false, begin, end, stream,
                "cub::DeviceRadixSort::SortPairs");
  }
  template <class K, class V>
  GPULAB_INTRINSIC cudaError_t SortPairsDescending(void* temporary, size_t& bytes, const K* keys, K* sorted,
                                                   const V* values, V* moved, int count, int begin = 0,
                                                   int end = 8 * sizeof(K), cudaStream_t stream = 0) {
    return sort(temporary, bytes, keys, sorted, values, moved, count, /*is_descending=*/true, begin, end, stream,
                "cub::DeviceRadixSort::SortPairsDescending");
  }
  template <class K>
  GPULAB_INTRINSIC cudaError_t SortKeys(void* temporary, size_t& bytes, DoubleBuffer<K>& keys, int count, int begin = 0,
                                        int end = 8 * sizeof(K), cudaStream_t stream = 0) {
    return swapped(SortKeys(temporary, bytes, keys.Current(), keys.Alternate(), count, begin, end, stream), temporary,
                   keys);
  }
  template <class K>
  GPULAB_INTRINSIC cudaError_t SortKeysDescending(void* temporary, size_t& bytes, DoubleBuffer<K>& keys, int count,
                                                  int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0) {
    return swapped(SortKeysDescending(temporary, bytes, keys.Current(), keys.Alternate(), count, begin, end, stream),
                   temporary, keys);
  }
  template <class K, class V>
  GPULAB_INTRINSIC cudaError_t SortPairs(void* temporary, size_t& bytes, DoubleBuffer<K>& keys, DoubleBuffer<V>& values,
                                         int count, int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0) {
    return swapped(SortPairs(temporary, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(),
                             count, begin, end, stream),
                   temporary, keys, values);
  }
  template <class K, class V>
  GPULAB_INTRINSIC cudaError_t SortPairsDescending(void* temporary, size_t& bytes, DoubleBuffer<K>& keys,
                                                   DoubleBuffer<V>& values, int count, int begin = 0,
                                                   int end = 8 * sizeof(K), cudaStream_t stream = 0) {
    return swapped(SortPairsDescending(temporary, bytes, keys.Current(), keys.Alternate(), values.Current(),
                                       values.Alternate(), count, begin, end, stream),
                   temporary, keys, values);
  }

 private:
  // Swaps the buffers at the call, as CUB does, although the result is in Current() only once the work is done.
  template <class... Buffers>
  GPULAB_INTRINSIC cudaError_t swapped(cudaError_t error, const void* temporary, Buffers&... buffers) {
    if (temporary && error == cudaSuccess) ((buffers.selector ^= 1), ...);
    return error;
  }
  template <class K, class V>
  GPULAB_INTRINSIC cudaError_t sort(void* temporary, size_t& bytes, const K* keys, K* sorted, const V* values, V* moved,
                                    int count, bool is_descending, int begin, int end, cudaStream_t stream,
                                    const char* call) {
    const size_t pairs = moved ? count : 0;
    return gpulab_queue(
        call, temporary, bytes,
        {gpulab_reads("d_keys_in", keys, count), gpulab_writes("d_keys_out", sorted, count),
         gpulab_reads("d_values_in", values, pairs), gpulab_writes("d_values_out", moved, pairs)},
        stream,
        [=] {
          const int* const order = gpulab_sorted(
              count, [=](int a, int b) { return gpulab_is_before(keys[a], keys[b], is_descending, begin, end); });
          for (int i = 0; i < count; ++i) {
            sorted[i] = keys[order[i]];
            if (moved) moved[i] = values[order[i]];
          }
          delete[] order;
        },
        1024 + count * (sizeof(K) + (moved ? sizeof(V) : 0)));
  }
};

struct DeviceHistogram {
  template <class In, class Count, class Level>
  GPULAB_INTRINSIC cudaError_t HistogramEven(void* temporary, size_t& bytes, In in, Count* counts, int levels,
                                             Level lower, Level upper, int count, cudaStream_t stream = 0) {
    return gpulab_queue("cub::DeviceHistogram::HistogramEven", temporary, bytes,
                        {gpulab_reads("d_samples", in, count), gpulab_writes("d_histogram", counts, levels - 1)},
                        stream, [=] {
                          for (int bin = 0; bin + 1 < levels; ++bin) counts[bin] = 0;
                          for (int i = 0; i < count; ++i)
                            if (const auto sample = in[i]; lower <= sample && sample < upper)
                              ++counts[int((sample - lower) * double(levels - 1) / (upper - lower))];
                        });
  }
  template <class In, class Count, class Level>
  GPULAB_INTRINSIC cudaError_t HistogramRange(void* temporary, size_t& bytes, In in, Count* counts, int levels,
                                              const Level* limits, int count, cudaStream_t stream = 0) {
    return gpulab_queue("cub::DeviceHistogram::HistogramRange", temporary, bytes,
                        {gpulab_reads("d_samples", in, count), gpulab_writes("d_histogram", counts, levels - 1),
                         gpulab_reads("d_levels", limits, levels)},
                        stream, [=] {
                          for (int bin = 0; bin + 1 < levels; ++bin) counts[bin] = 0;
                          for (int i = 0; i < count; ++i)
                            for (int bin = 0; bin + 1 < levels; ++bin)
                              counts[bin] += limits[bin] <= in[i] && in[i] < limits[bin + 1];
                        });
  }
};

struct DeviceSelect {
  template <class In, class Flags, class Out, class Count>
  GPULAB_INTRINSIC cudaError_t Flagged(void* temporary, size_t& bytes, In in, Flags flags, Out out, Count* selected,
                                       int count, cudaStream_t stream = 0) {
    return select("cub::DeviceSelect::Flagged", temporary, bytes, in, gpulab_reads("d_flags", flags, count), out,
                  selected, count, stream, [=](int i) { return bool(flags[i]); });
  }
  template <class In, class Out, class Count, class Op>
  GPULAB_INTRINSIC cudaError_t If(void* temporary, size_t& bytes, In in, Out out, Count* selected, int count, Op op,
                                  cudaStream_t stream = 0) {
    return select("cub::DeviceSelect::If", temporary, bytes, in, gpulab_reads("d_in", in, 0), out, selected, count,
                  stream, [=](int i) { return bool(op(in[i])); });
  }
  template <class In, class Out, class Count>
  GPULAB_INTRINSIC cudaError_t Unique(void* temporary, size_t& bytes, In in, Out out, Count* selected, int count,
                                      cudaStream_t stream = 0) {
    return select("cub::DeviceSelect::Unique", temporary, bytes, in, gpulab_reads("d_in", in, 0), out, selected, count,
                  stream, [=](int i) { return i == 0 || !(in[i] == in[i - 1]); });
  }

 private:
  // `flags` are the operand that decides, besides `in`; of 0 elements if `in` alone decides.
  template <class In, class Out, class Count, class Is>
  GPULAB_INTRINSIC cudaError_t select(const char* call, void* temporary, size_t& bytes, In in, gpulab_operand flags,
                                      Out out, Count* selected, int count, cudaStream_t stream, Is is_selected) {
    return gpulab_queue(call, temporary, bytes,
                        {gpulab_reads("d_in", in, count), flags, gpulab_writes("d_out", out, count),
                         gpulab_writes("d_num_selected_out", selected, 1)},
                        stream, [=] {
                          int kept = 0;
                          for (int i = 0; i < count; ++i)
                            if (is_selected(i)) out[kept++] = in[i];
                          *selected = kept;
                        });
  }
};

struct DeviceRunLengthEncode {
  template <class In, class Out, class Lengths, class Count>
  GPULAB_INTRINSIC cudaError_t Encode(void* temporary, size_t& bytes, In in, Out unique, Lengths lengths, Count* runs,
                                      int count, cudaStream_t stream = 0) {
    return gpulab_queue("cub::DeviceRunLengthEncode::Encode", temporary, bytes,
                        {gpulab_reads("d_in", in, count), gpulab_writes("d_unique_out", unique, count),
                         gpulab_writes("d_counts_out", lengths, count), gpulab_writes("d_num_runs_out", runs, 1)},
                        stream, [=] {
                          int found = 0;
                          for (int begin = 0, end = 0; begin < count; begin = end) {
                            while (end < count && in[end] == in[begin]) ++end;
                            unique[found] = in[begin];
                            lengths[found++] = end - begin;
                          }
                          *runs = found;
                        });
  }
};

}  // namespace cub
namespace hipcub = cub;
