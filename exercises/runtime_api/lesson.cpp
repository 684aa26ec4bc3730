#include "lesson/lesson.hpp"

#include "lesson/arrays.hpp"
#include "transfers/program.hpp"

namespace gpulab::lessons::runtime_api {
namespace {

constexpr float a = 3;

const Input<float> x{"x"};
const Output<float> y{"y"};

// Return element i as the programs fill x and y: a whole number, which float32 holds exactly.
double x_at(std::size_t i) {
  return static_cast<double>(i % 1000);
}
double y_at(std::size_t i) {
  return static_cast<double>(7 * i % 512);
}

// Returns what the programs print of a vector of n elements.
template <class Element>
PrintedNumbers numbers_of(std::size_t n, const Element& element) {
  double sum = 0, weighted = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += element(i);
    weighted += static_cast<double>(i % 97 + 1) * element(i);
  }
  return {{"sum", sum}, {"weighted", weighted}, {"last", element(n - 1)}};
}

double expected_y(std::size_t i) {
  return a * x_at(i) + y_at(i);
}

PrintedNumbers expected_numbers(std::size_t n) {
  return numbers_of(n, expected_y);
}

std::vector<DeviceResult> expected_on_device(std::size_t n) {
  DeviceResult result{"y", std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) result.numbers[i] = expected_y(i);
  return {result};
}

PrintedNumbers unchanged_y(std::size_t n) {
  return numbers_of(n, y_at);
}

PrintedNumbers numbers_of_x(std::size_t n) {
  return numbers_of(n, x_at);
}

PrintedNumbers after_two_launches(std::size_t n) {
  return numbers_of(n, [](std::size_t i) { return 2 * a * x_at(i) + y_at(i); });
}

ProgramTask task() {
  return {
      .prints = expected_numbers,
      .sizes = {1000, 1, 4097, 256, 20'001},
      .results = expected_on_device,
      .errors = {{"wrong-array", "these are the numbers of x: the copy back takes the wrong array",
                  numbers_of_x},
                 {"stays-on-device", "y is as it was before: the result is still on the device", unchanged_y},
                 {"launched-twice", "a * x was added twice: the kernel ran twice on the same y",
                  after_two_launches}},
      .demands = {{"implicit-wait", "wait for the kernel", transfers::implicit_wait}},
      .errors_to_check = ErrorsToCheck::every};
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size;
  return {
      .description = grouped(n) + " float32 in whole programs",
      .arrays = {x(n), y(n)},
      .fill = each_element(x, [](std::uint64_t, std::size_t i) { return static_cast<float>(x_at(i)); }),
      .references = by_index(
          y, [](std::size_t i, std::span<const float> in) { return a * in[i] + static_cast<float>(y_at(i)); },
          x)};
}

Variant program(std::string name, std::string file, std::string idea, Outcome expects = Outcome::right) {
  return {.name = std::move(name),
          .idea = std::move(idea),
          .expects = expects,
          .block = only_blocks_of(256),  // as in the programs
          .source = std::move(file),
          .is_program = true};
}

}  // namespace

Lesson lesson() {
  return {
      .name = "runtime-api",
      .title = "Whole programs: allocate, copy, launch, wait, free",
      .place = {.episode = 6, .step = 5},
      .page = "section 4.3 of the outline of July 2025 (CUDA runtime API)",
      .kernels = "seven_steps.cu",
      .default_size = std::size_t{1} << 18,
      .largest_size = std::size_t{1} << 28,
      .problem = problem,
      .variants = {program("seven-steps", "seven_steps.cu", "one after the other, from pageable memory"),
                   program("never-freed", "never_freed.cu", "the same, without the last step",
                           Outcome::leaks),
                   program("managed-memory", "managed_memory.cu", "managed memory: one pointer, no copies"),
                   program("managed-too-early", "managed_too_early.cu",
                           "the same, without waiting for the kernel", Outcome::race),
                   program("pinned-memory", "pinned_memory.cu", "the seven steps from page-locked memory"),
                   program("two-streams", "two_streams.cu", "the same in chunks, which overlap")},
      .shows = {.timeline = true},
      .program = task()};
}

}  // namespace gpulab::lessons::runtime_api
