#include "core/lesson.hpp"

#include "core/number_text.hpp"

namespace gpulab::lessons {
namespace {

int is_prime(int number) {
  if (number < 2) return 0;
  for (int factor = 2; factor <= number / 2; ++factor)
    if (number % factor == 0) return 0;
  return 1;
}

void reference(const Arrays&, Arrays& outputs) {
  const auto flags = outputs.get<int>("is_prime");
  for (std::size_t n = 0; n < flags.size(); ++n) flags[n] = is_prime(static_cast<int>(n));
}

void reference_openmp(const Arrays&, Arrays& outputs) {
  const auto flags = outputs.get<int>("is_prime");
  // The large numbers take longer than the small ones, and primes longer than the rest.
#pragma omp parallel for schedule(dynamic, 256)
  for (std::size_t n = 0; n < flags.size(); ++n) flags[n] = is_prime(static_cast<int>(n));
}

Findings count_primes(const Arrays&, const Arrays& outputs) {
  double primes = 0;
  for (const int flag : outputs.get<int>("is_prime")) primes += flag;
  return {.figures = {{"primes", primes}}};
}

Problem primes_problem(const Settings& settings) {
  const std::size_t n = settings.size;
  return {.description = "the primes below " + grouped(n),
          .parameters = kernel_parameters(output<int>("is_prime", n), scalar<int>("size", n)),
          .fill = [](Arrays&, std::uint64_t) {},
          .reference = reference,
          .reference_openmp = reference_openmp,
          .traffic = {.bytes_written = static_cast<double>(n) * sizeof(int)},
          .element = "number",
          .findings = count_primes};
}

// Every thread does the work of all, or every number takes a launch: beyond this that takes minutes.
constexpr std::size_t most_for_the_slow = 2000;

void launch_for_every_number(Execution& run) {
  const std::size_t n = run.request().size();
  for (std::size_t number = 0; number < n; ++number)
    run.launch("primes_single", LaunchConfig{},
               kernel_parameters(output<int>("is_prime", n), scalar<int>("number", number)));
}

}  // namespace

Lesson primes() {
  return {.name = "primes",
          .title = "Find all primes: turn a loop into a grid",
          .place = {.episode = 6, .step = 4},
          .page = "Your First GPU Kernel",
          .text = R"(A kernel that has the whole loop of the CPU in it computes everything in
every thread: right, and no faster for all its threads. A launch of one thread
for each number costs some microseconds each, more than the CPU needs for the
number. The outer loop has to become the grid: a thread tries the factors of
one number. Trial division finds no factor of 0 and none of 1 and takes both
for primes, though a prime is greater than 1: there are 9 592 primes below
100 000, and a loop that does not say so counts 9 594, as the course's own
program does. Threads of a warp go on until the last of them has found its
factor, or none: a warp with a prime in it takes as long as the prime.)",
          .kernels = "primes.cu",
          .default_size = 100000,
          .largest_size = 10'000'000,
          .problem = primes_problem,
          .variants = {{.name = "every-thread",
                        .kernel = "primes_every_thread",
                        .idea = "every thread does everything",
                        .block = {.threads = 1024},
                        .max_size = most_for_the_slow},
                       {.name = "launch-each",
                        .kernel = "primes_single",
                        .idea = "a launch of a single thread for each number",
                        .steps = launch_for_every_number,
                        .max_size = most_for_the_slow},
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

}  // namespace gpulab::lessons
