#include "core/lesson.hpp"

#include <cmath>

namespace gpulab::lessons::primes {

int is_prime(int number) {
  if (number < 2) return 0;
  for (int factor = 2; factor <= number / 2; ++factor)
    if (number % factor == 0) return 0;
  return 1;
}

const Output<int> flags{"is_prime"};
const Scalar<int> size{"size"}, number{"number"};

void find_primes(const Inputs&, Outputs& outputs) {
  const auto found = outputs[flags];
  for (std::size_t n = 0; n < found.size(); ++n) found[n] = is_prime(static_cast<int>(n));
}

void find_primes_openmp(const Inputs&, Outputs& outputs) {
  const auto found = outputs[flags];
  // The large numbers take longer than the small ones, and primes longer than the rest.
#pragma omp parallel for schedule(dynamic, 256)
  for (std::size_t n = 0; n < found.size(); ++n) found[n] = is_prime(static_cast<int>(n));
}

// n / log(n) primes take n / 4 divisions on average, the other numbers few. So many cost as much as one
// access.
double divisions_below(double n) {
  constexpr double as_cheap = 40;
  return n * n / (4 * std::log(n + 2)) / as_cheap;
}

void exchange(const Inputs& inputs, Outputs& outputs) {
  find_primes(inputs, outputs);
  for (int& flag : outputs[flags]) flag = 1 - flag;
}

Findings count_primes(const Inputs&, const Outputs& outputs) {
  double primes = 0;
  for (const int flag : outputs[flags]) primes += flag;
  return {.figures = {{"primes", primes}}};
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size;
  return {
      .description = "the primes below " + grouped(n),
      .arrays = {flags(n)},
      .scalars = {size(n)},
      .references = {.plain = find_primes, .openmp = find_primes_openmp},
      .work_to_check = divisions_below(static_cast<double>(n)),
      .element = "number",
      .typically_wrong = {{"exchanged", "every number is 1 where it should be 0, and 0 where it should be 1",
                           exchange}},
      .findings = count_primes};
}

// Every thread does the work of all, or every number takes a launch: beyond this that takes minutes.
constexpr std::size_t max_for_the_slow = 2000;

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
                        .idea = "every thread does everything",
                        .block = {.threads = 1024},
                        .max_size = max_for_the_slow},
                       {.name = "launch-each",
                        .kernel = "primes_single",
                        .idea = "a launch of a single thread for each number",
                        .steps = launch_for_every_number,
                        .max_size = max_for_the_slow},
                       {.name = "one-each",
                        .kernel = "primes_one_each",
                        .idea = "each thread has one number; 0 and 1 are taken for primes",
                        .expects = Outcome::wrong,
                        .block = {.threads = 1024}},
                       {.name = "from-two",
                        .kernel = "primes_from_two",
                        .idea = "each thread has one number, and a prime is greater than 1",
                        .block = {.threads = 1024}}},
          .solution = "from-two"};
}

}  // namespace gpulab::lessons::primes
