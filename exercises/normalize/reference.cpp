#include "normalize/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/cpu_vectors.hpp"

namespace gpulab::lessons::normalize {
namespace {

constexpr std::size_t piece = std::size_t{1} << 14;  // elements summed or scaled at a time

// Distance of the prefetch, in elements: a CPU that converts to double and back does not look so far ahead.
constexpr std::size_t prefetch_distance = 2048;

double sum_of_squares_of_piece(const float* x, std::size_t size) {
  double sum = 0;
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    using Doubles = typename V::Doubles;
    constexpr std::size_t parts = 4;
    Doubles sums[parts] = {};
    std::size_t i = 0;
    for (; i + parts * V::lanes <= size; i += parts * V::lanes) {
      prefetch(x + i + prefetch_distance, parts * V::lanes);
#pragma GCC unroll 4
      for (std::size_t part = 0; part < parts; ++part) {
        typename V::Floats values;
        V::load(x + i + part * V::lanes, values);
        const Doubles exact = __builtin_convertvector(values, Doubles);
        sums[part] += exact * exact;
      }
    }
    const Doubles all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (std::size_t lane = 0; lane < V::lanes; ++lane) sum += all[lane];
    for (; i < size; ++i) sum += static_cast<double>(x[i]) * x[i];
  });
  return sum;
}

void scale_piece(const float* x, std::size_t size, double scale, float* y) {
  const auto scale_one = [&](std::size_t i) { y[i] = static_cast<float>(x[i] * scale); };
  std::size_t i = 0;
  for (const std::size_t head = std::min(size, floats_before_line(y)); i < head; ++i) scale_one(i);
  with_widest_vectors([&](auto vectors) GPULAB_INLINED {
    using V = decltype(vectors);
    for (; i + floats_per_line <= size; i += floats_per_line) {
      prefetch(x + i + prefetch_distance, floats_per_line);
#pragma GCC unroll 4
      for (std::size_t k = i; k < i + floats_per_line; k += V::lanes) {
        typename V::Floats values;
        V::load(x + k, values);
        const auto scaled = __builtin_convertvector(values, typename V::Doubles) * scale;
        streaming_store<V>(__builtin_convertvector(scaled, typename V::Floats), y + k);
      }
    }
  });
  for (; i < size; ++i) scale_one(i);
}

}  // namespace

double sum_of_squares(std::span<const float> x) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) if (x.size() > piece)
  for (std::size_t first = 0; first < x.size(); first += piece)
    sum += sum_of_squares_of_piece(&x[first], std::min(piece, x.size() - first));
  return sum;
}

double scale_of(double sum_of_squares) {
  return sum_of_squares == 0 ? 0 : 1 / std::sqrt(sum_of_squares);
}

void normalize(std::span<const float> x, std::span<float> y) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  const double scale = scale_of(sum);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(x[i] * scale);
}

void normalize_openmp(std::span<const float> x, std::span<float> y) {
  const double scale = scale_of(sum_of_squares(x));
#pragma omp parallel for schedule(static) if (y.size() > piece)
  for (std::size_t first = 0; first < y.size(); first += piece)
    scale_piece(&x[first], std::min(piece, y.size() - first), scale, &y[first]);
}

}  // namespace gpulab::lessons::normalize
