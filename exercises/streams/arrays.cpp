#include "streams/arrays.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "lesson/arrays.hpp"

namespace gpulab::lessons::streams {
namespace {

void fill(Inputs& inputs, std::uint64_t seed) {
  const auto items = inputs[input];
  const auto vector = inputs[A];
#pragma omp parallel for
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = static_cast<int>(random_bits(2 * seed, i) % histogram_bins);
    vector[i] = random_float(2 * seed + 1, i);
  }
}

// Fills by the sieve of Eratosthenes, unlike the kernel, so that the two cannot share a mistake.
void sieve(std::span<int> prime) {
  std::ranges::fill(prime, 1);
  for (std::size_t n = 0; n < std::min<std::size_t>(2, prime.size()); ++n) prime[n] = 0;
  for (std::size_t factor = 2; factor * factor < prime.size(); ++factor)
    if (prime[factor])
      for (std::size_t multiple = factor * factor; multiple < prime.size(); multiple += factor)
        prime[multiple] = 0;
}

void find_and_count_primes(Outputs& outputs) {
  sieve(outputs[is_prime]);
  outputs[prime_count][0] = static_cast<int>(std::ranges::count(outputs[is_prime], 1));
}

void reference(const Inputs& inputs, Outputs& outputs) {
  find_and_count_primes(outputs);
  const auto counted = outputs[counts];
  std::ranges::fill(counted, 0);
  for (const int item : inputs[input]) ++counted[static_cast<std::size_t>(item)];
}

void reference_openmp(const Inputs& inputs, Outputs& outputs) {
  find_and_count_primes(outputs);
  const auto items = inputs[input];
  int bins[histogram_bins] = {};
#pragma omp parallel for reduction(+ : bins)
  for (std::size_t i = 0; i < items.size(); ++i) ++bins[items[i]];
  std::ranges::copy(bins, outputs[counts].begin());
}

}  // namespace

Problem independent_tasks(const Settings& settings) {
  const std::size_t n = settings.size, below = settings.count("upper");
  return {.description = grouped(n) + " elements, primes below " + grouped(below),
          .arrays = {C(n), is_prime(below), input(n), A(n), prime_count(1), counts(histogram_bins)},
          .scalars = {upper(below), size(n)},
          .fill = fill,
          .references = both({.plain = reference, .openmp = reference_openmp},
                             elementwise(
                                 C, [](float a) { return 2 * a; }, A)),
          .traffic = no_traffic,
          .copied = {is_prime}};
}

}  // namespace gpulab::lessons::streams
