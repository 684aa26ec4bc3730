#include "measure/host_ceilings.hpp"

#include <unistd.h>
#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>

#include "core/cpu_vectors.hpp"
#include "measure/sampling.hpp"

namespace gpulab::measure {
namespace {

constexpr std::size_t piece = std::size_t{1} << 14;  // elements that a thread takes at a time

// Does work, which returns how much it did, again and again for so many seconds: the most in a second.
double best_rate(double seconds, const std::function<double()>& work) {
  double best = 0;
  const double end = steady_now_s() + seconds;
  for (double start = steady_now_s(), now = start; best == 0 || now < end; start = now) {
    const double amount = work();
    now = steady_now_s();
    best = std::max(best, amount / std::max(now - start, 1e-9));
  }
  return best;
}

// Two arrays, whose pieces are first touched by the threads that will use them.
struct TwoArrays {
  std::size_t pieces;
  std::unique_ptr<float[]> from = std::make_unique_for_overwrite<float[]>(pieces * piece);
  std::unique_ptr<float[]> to = std::make_unique_for_overwrite<float[]>(pieces * piece);

  explicit TwoArrays(std::size_t bytes) : pieces(std::max<std::size_t>(1, bytes / (piece * sizeof(float)))) {
#pragma omp parallel for schedule(static)
    for (std::size_t p = 0; p < pieces; ++p) {
      std::fill_n(&from[p * piece], piece, 1.0f);
      std::fill_n(&to[p * piece], piece, 2.0f);
    }
  }
  double bytes() const {
    return 2.0 * static_cast<double>(pieces * piece * sizeof(float));
  }
};

// Whether anything but zeros was read: adding up is the cheapest thing to do with it.
bool read_piece(const float* values) {
  bool is_something = false;
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    typename V::Floats sums[4] = {};
    for (std::size_t i = 0; i < piece; i += 4 * V::lanes)
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) {
        typename V::Floats some;
        V::load(values + i + k * V::lanes, some);
        sums[k] += some;
      }
    const typename V::Floats sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (std::size_t lane = 0; lane < V::lanes; ++lane) is_something |= sum[lane] != 0;
  });
  return is_something;
}

// Returns the bytes it read.
double read_both(const TwoArrays& arrays) {
  std::size_t read = 0;
#pragma omp parallel for schedule(static) reduction(+ : read)
  for (std::size_t p = 0; p < arrays.pieces; ++p)
    read += std::size_t{read_piece(&arrays.from[p * piece])} + read_piece(&arrays.to[p * piece]);
  if (read != 2 * arrays.pieces) throw std::logic_error("memory does not hold what was written to it");
  return arrays.bytes();
}

using Copy = void (*)(const float* from, std::size_t count, float* to);

void ordinary_copy(const float* from, std::size_t count, float* to) {
  std::copy_n(from, count, to);
}

// Returns the bytes it read and wrote.
double copy_one_to_the_other(TwoArrays& arrays, Copy copy) {
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < arrays.pieces; ++p) copy(&arrays.from[p * piece], piece, &arrays.to[p * piece]);
  return arrays.bytes();
}

// Multiplies and adds in so many sums that none has to wait for its last one, and adds their values to a
// result, which nobody can tell without doing so. Returns the operations it did.
double multiply_and_add(float factor, float& result) {
  constexpr std::size_t sums_at_a_time = 12, times = 20'000;
  double operations = 0;
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    typename V::Floats sums[sums_at_a_time] = {}, factors = factor - sums[0], terms = 1 - factors;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < sums_at_a_time; ++i) sums[i] += factor * static_cast<float>(i);
    for (std::size_t time = 0; time < times; ++time)
#pragma GCC unroll 16
      for (std::size_t i = 0; i < sums_at_a_time; ++i) sums[i] = sums[i] * factors + terms;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < sums_at_a_time; ++i) result += sums[i][0];
    operations = 2.0 * sums_at_a_time * times * V::lanes;
  });
  return operations;
}

// Threads take shares as they get done with them: where two of them share a core and others have one to
// themselves, or a machine is shared with others, equal shares would measure the slowest thread.
double multiply_and_add_on_all_threads() {
  constexpr int shares = 1024;
  double operations = 0;
  float result = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : operations, result)
  for (int share = 0; share < shares; ++share) operations += multiply_and_add(0.5f, result);
  if (!(result > 0)) throw std::logic_error("sums of positive numbers are not positive");
  return operations;
}

}  // namespace

std::size_t default_ceiling_array_bytes() {
  constexpr std::size_t least = std::size_t{256} << 20;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);  // not positive where it is not known
  return std::max(least, 2 * static_cast<std::size_t>(std::max(cache, 0L)));
#else
  return least;
#endif
}

HostCeilings measure_host_ceilings(double seconds, std::size_t array_bytes) {
  TwoArrays arrays(array_bytes);
  // Some CPUs see that lines are overwritten as a whole, and fetch them for ordinary stores no more.
  const auto copy_rate = [&](Copy copy) {
    return best_rate(seconds / 2, [&] { return copy_one_to_the_other(arrays, copy); });
  };
  return {.read_bytes_per_s = best_rate(seconds, [&] { return read_both(arrays); }),
          .copy_bytes_per_s = std::max(copy_rate(streaming_copy), copy_rate(ordinary_copy)),
          .operations_per_s = best_rate(seconds, multiply_and_add_on_all_threads)};
}

double min_host_time_s(const Traffic& traffic, const HostCeilings& ceilings) {
  const double copied = std::min(traffic.bytes_read, traffic.bytes_written);
  const double more_read = traffic.bytes_read - copied, more_written = traffic.bytes_written - copied;
  const double memory_s =
      (2 * copied + more_written) / ceilings.copy_bytes_per_s + more_read / ceilings.read_bytes_per_s;
  return std::max(memory_s, traffic.operations / ceilings.operations_per_s);
}

double fraction_of_ceilings(const ReferenceResult& reference, const Traffic& traffic,
                            const HostCeilings& ceilings) {
  Traffic own = traffic;
  own.operations = reference.operations.value_or(traffic.operations);
  return min_host_time_s(own, ceilings) / reference.timing.median_s;
}

}  // namespace gpulab::measure
