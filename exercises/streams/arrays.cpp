#include "streams/arrays.hpp"

#include <algorithm>

#include "core/number_text.hpp"
#include "core/random.hpp"

namespace gpulab {
namespace {

void fill(Arrays& inputs, std::uint64_t seed) {
  const auto input = inputs.get<int>("input");
  const auto A = inputs.get<float>("A");
#pragma omp parallel for
  for (std::size_t i = 0; i < input.size(); ++i) {
    input[i] = static_cast<int>(random_bits(2 * seed, i) % histogram_bins);
    A[i] = random_float(2 * seed + 1, i);
  }
}

// The sieve of Eratosthenes: another way than the kernel's, so that both are not wrong alike.
void sieve(std::span<int> is_prime) {
  std::ranges::fill(is_prime, 1);
  for (std::size_t n = 0; n < std::min<std::size_t>(2, is_prime.size()); ++n) is_prime[n] = 0;
  for (std::size_t factor = 2; factor * factor < is_prime.size(); ++factor)
    if (is_prime[factor])
      for (std::size_t multiple = factor * factor; multiple < is_prime.size(); multiple += factor)
        is_prime[multiple] = 0;
}

void primes_and_their_number(Arrays& outputs) {
  const auto is_prime = outputs.get<int>("is_prime");
  sieve(is_prime);
  outputs.get<int>("prime_count")[0] = static_cast<int>(std::ranges::count(is_prime, 1));
}

void reference(const Arrays& inputs, Arrays& outputs) {
  primes_and_their_number(outputs);
  const auto counts = outputs.get<int>("counts");
  std::ranges::fill(counts, 0);
  for (const int item : inputs.get<int>("input")) ++counts[static_cast<std::size_t>(item)];
  const auto A = inputs.get<float>("A");
  const auto C = outputs.get<float>("C");
  for (std::size_t i = 0; i < C.size(); ++i) C[i] = 2 * A[i];
}

void reference_openmp(const Arrays& inputs, Arrays& outputs) {
  primes_and_their_number(outputs);
  const auto input = inputs.get<int>("input");
  int counts[histogram_bins] = {};
#pragma omp parallel for reduction(+ : counts)
  for (std::size_t i = 0; i < input.size(); ++i) ++counts[input[i]];
  std::ranges::copy(counts, outputs.get<int>("counts").begin());
  const auto A = inputs.get<float>("A");
  const auto C = outputs.get<float>("C");
#pragma omp parallel for simd
  for (std::size_t i = 0; i < C.size(); ++i) C[i] = 2 * A[i];
}

}  // namespace

Problem independent_tasks(const Settings& settings) {
  const std::size_t n = settings.size, upper = settings.count("upper");
  return {.description = grouped(n) + " elements, primes below " + grouped(upper),
          .parameters = kernel_parameters(output<int>("is_prime", upper), scalar<int>("upper", upper)),
          .others = other_arrays(input<int>("input", n), input<float>("A", n),
                                 cleared_output<int>("prime_count", 1),
                                 cleared_output<int>("counts", histogram_bins), output<float>("C", n)),
          .fill = fill,
          .reference = reference,
          .reference_openmp = reference_openmp};
}

}  // namespace gpulab
