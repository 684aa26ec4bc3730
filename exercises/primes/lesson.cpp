#include "lesson/lesson.hpp"

#include <cmath>
#include <functional>
#include <string>

namespace gpulab::lessons::primes {

int is_prime(int number) {
  if (number < 2) return 0;
  for (int factor = 2; factor <= number / 2; ++factor)
    if (number % factor == 0) return 0;
  return 1;
}

const Output<int> flags{"is_prime"};
const Scalar<int> size{"size"}, number{"number"};

// Returns a reference for the numbers from `first` on.
Reference primes_from(std::size_t first) {
  return [first](const Inputs&, Outputs& outputs) {
    const auto found = outputs[flags];
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = is_prime(static_cast<int>(first + i));
  };
}

void find_primes_openmp(const Inputs&, Outputs& outputs) {
  constexpr std::size_t numbers_at_once = 256;
  const auto found = outputs[flags];
  // The large numbers take longer than the small ones, and primes longer than the rest.
#pragma omp parallel for schedule(dynamic, numbers_at_once) if (found.size() > numbers_at_once)
  for (std::size_t n = 0; n < found.size(); ++n) found[n] = is_prime(static_cast<int>(n));
}

// Returns the cost of all numbers below n, in accesses: n / log(n) primes take n / 4 divisions on average,
// the other numbers few, and 40 divisions cost as much as one access.
double cost_below(double n) {
  constexpr double divisions_per_access = 40;
  return n * n / (4 * std::log(n + 2)) / divisions_per_access;
}

// Returns a reference that has 0 for 1, and 1 for 0, from the number `first` on.
Reference swapped_from(std::size_t first) {
  return [first](const Inputs& inputs, Outputs& outputs) {
    find_primes_openmp(inputs, outputs);
    const auto found = outputs[flags];
    for (std::size_t i = first; i < found.size(); ++i) found[i] = 1 - found[i];
  };
}

using IsTried = std::function<bool(int number, int factor)>;

// Computes the flags of a loop that tries only some factors from 2 on; numbers below 2 get the flag
// `below_two`.
Reference with_factors(const IsTried& is_tried, int below_two = 0) {
  return [=](const Inputs&, Outputs& outputs) {
    const auto found = outputs[flags];
    for (std::size_t i = 0; i < found.size(); ++i) {
      const int number = static_cast<int>(i);
      const auto divides = [&](int factor) { return number % factor == 0 && is_tried(number, factor); };
      // A number without a divisor up to its root is divisible by itself alone.
      bool has_factor = number > 1 && divides(number);
      for (int factor = 2; factor * factor <= number && !has_factor; ++factor)
        has_factor = divides(factor) || (number % factor == 0 && divides(number / factor));
      found[i] = number < 2 ? below_two : !has_factor;
    }
  };
}

std::vector<TypicalResult> typical_results(int size) {
  const auto is_proper = [](int number, int factor) { return factor < number; };
  std::vector<TypicalResult> all = {
      {"zero-and-one-swapped", "every number is 1 where it should be 0, and 0 where it should be 1",
       swapped_from(0)},
      {"zero-and-one-swapped",
       "every number from 2 on is 1 where it should be 0, and 0 where it should be 1: the two are exchanged",
       swapped_from(2)},
      {"zero-and-one", "0 and 1 count as primes: the loop tries no factor for them",
       with_factors(is_proper, 1)},
      {"divided-by-itself",
       "no number counts as a prime: consistent with a loop that tries the number itself, or 1, or a result that never becomes 1",
       with_factors([](int, int) { return true; })},
      {"divided-by-itself",
       "no prime up to size / 2 counts as one: consistent with a loop up to size / 2, not number / 2",
       with_factors([=](int, int factor) { return factor <= size / 2; })},
      {"squares-of-primes",
       "the squares of primes count as primes: consistent with a loop that stops before the root of the number",
       with_factors([](int number, int factor) { return factor * factor < number; })},
      {"factors-left-out",
       "4 counts as a prime: consistent with a loop that begins after 2, or stops before number / 2",
       with_factors([](int number, int factor) { return factor < number / 2; })},
      {"factors-left-out",
       "4, 8, 16 and all other powers of 2 count as primes: no thread tries an even factor",
       with_factors([](int number, int factor) { return factor % 2 == 1 && factor < number; })},
      {"factors-left-out",
       "all odd numbers from 3 on count as primes: consistent with a loop that tries only even factors, ends after its first one, or whose last one alone decides",
       with_factors([](int number, int factor) { return factor == 2 && factor < number; })},
      {"inverted-condition",
       "of all numbers, only 2, 3, 4 and 6 count as primes: consistent with a test for a factor that does not divide the number",
       [](const Inputs&, Outputs& outputs) {
         const auto are_prime = outputs[flags];
         for (std::size_t i = 0; i < are_prime.size(); ++i)
           are_prime[i] = i == 2 || i == 3 || i == 4 || i == 6;
       }},
      {"inverted-condition",
       "2 alone counts as a prime: consistent with a test for a factor that does not divide the number",
       [](const Inputs&, Outputs& outputs) {
         const auto are_prime = outputs[flags];
         for (std::size_t i = 0; i < are_prime.size(); ++i) are_prime[i] = i == 2;
       }},
      {"two-is-a-prime", "2 does not count as a prime",
       with_factors([](int number, int factor) { return factor < number || number == 2; })}};
  for (const int largest_factor :
       {3, 5, 7, 10, 11, 13, 16, 31, 32, 50, 64, 99, 100, 127, 128, 200, 254, 255, 256, 300})
    all.push_back(
        {"factors-left-out",
         "consistent with a loop that tries no factor above about " + std::to_string(largest_factor),
         with_factors([=](int number, int factor) { return factor <= largest_factor && factor < number; })});
  return all;
}

Findings count_primes(const Inputs&, const Outputs& outputs) {
  double primes = 0;
  for (const int flag : outputs[flags]) primes += flag;
  return {.figures = {{"primes", primes}}};
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size - settings.begins_at;
  return {.description = "the primes below " + grouped(settings.size),
          .arrays = {flags(n)},
          .scalars = {size(settings.size)},
          .references = {.plain = primes_from(settings.begins_at), .openmp = find_primes_openmp},
          .work_to_check = cost_below(static_cast<double>(settings.size)),
          .element = "number",
          .typically_wrong = settings.begins_at == 0 ? typical_results(static_cast<int>(settings.size))
                                                     : std::vector<TypicalResult>(),
          .findings = count_primes};
}

// Largest size of every-thread and launch-each: beyond it they take minutes.
constexpr std::size_t max_size_of_slow = 2000;

void launch_for_every_number(Execution& run) {
  for (std::size_t n = 0; n < run.request().size(); ++n)
    run.launch("primes_single", LaunchConfig{}, {flags, number(n)});
}

Lesson lesson() {
  return {.name = "primes",
          .title = "Find all primes: turn a loop into a grid",
          .place = {.episode = 6, .step = 4},
          .page = "Your First GPU Kernel",
          .default_size = 100000,
          .largest_size = 10'000'000,
          .problem = problem,
          .arguments = {flags, size},
          .variants = {{.name = "every-thread",
                        .kernel = "primes_every_thread",
                        .idea = "each thread runs both loops",
                        .block = {.threads = 1024},
                        .max_size = max_size_of_slow},
                       {.name = "launch-each",
                        .kernel = "primes_single",
                        .idea = "one launch of a single thread per number",
                        .steps = launch_for_every_number,
                        .max_size = max_size_of_slow},
                       {.name = "one-each",
                        .kernel = "primes_one_each",
                        .idea = "one thread per number; 0 and 1 count as primes",
                        .expects = Outcome::wrong,
                        .block = {.threads = 1024}},
                       {.name = "from-two",
                        .kernel = "primes_from_two",
                        .idea = "one thread per number; a prime is greater than 1",
                        .block = {.threads = 1024}}},
          .solution = "from-two",
          // The last number is the square of the prime 3137: a kernel with a table of small primes calls it
          // prime.
          .checked_far = {.sizes = {3137 * 3137 + 1}, .block_size = 1}};
}

}  // namespace gpulab::lessons::primes
