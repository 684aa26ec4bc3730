#include "core/lesson.hpp"

#include <algorithm>
#include <cmath>

#include "core/number_text.hpp"
#include "core/random.hpp"
#include "normalize/reference.hpp"

namespace gpulab::lessons {
namespace {

// What every element is multiplied by. The square of 1e30 is too large for a float, and that of 1e-30 too
// small.
float factor_of(const std::string& values) {
  if (values == "zero") return 0;
  if (values == "huge") return 1e30f;
  return values == "tiny" ? 1e-30f : 1.0f;
}

// How far elements of y are from x / |x| in double, as a fraction of it.
Findings error_of(const Arrays& inputs, const Arrays& outputs) {
  const auto x = inputs.get<float>("x");
  const auto y = outputs.get<float>("y");
  const double scale = normalize::scale_of(normalize::sum_of_squares(x));
  double largest = 0;
#pragma omp parallel for reduction(max : largest)
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double expected = x[i] * scale;
    if (expected != 0) largest = std::max(largest, std::abs(y[i] / expected - 1));
  }
  return {.figures = {{.name = "largest relative error", .value = largest}}};
}

auto vector(std::size_t n) {
  return input<float>("x", n);
}
auto sum_of_squares() {
  return scratch<double>("sum_of_squares", 1);
}

Parameters sum_parameters(std::size_t n) {
  return kernel_parameters(vector(n), sum_of_squares(), scalar<int>("size", n));
}

Parameters scale_parameters(std::size_t n) {
  return kernel_parameters(vector(n), reads(sum_of_squares()), output<float>("y", n), scalar<int>("size", n));
}

// Each block adds up those of all others, one to a thread.
constexpr unsigned most_blocks_on_chip = 1024;
constexpr std::size_t bytes_on_chip = 1024 * 6 * 16;  // six fours for each thread

Problem normalized_vector(const Settings& settings) {
  const std::size_t n = settings.size;
  const std::string values = settings.word("values");
  const double bytes = static_cast<double>(n) * sizeof(float);
  return {.description = grouped(n) + " float32, " + values,
          .parameters = scale_parameters(n),
          .others = other_arrays(cleared_scratch<double>("running_sum", 1),
                                 cleared_scratch<int>("blocks_done", 1), scratch<double>("scale", 1),
                                 scratch<double>("sums_of_blocks", most_blocks_on_chip),
                                 cleared_scratch<int>("arrived", 1)),
          .fill =
              [factor = factor_of(values)](Arrays& inputs, std::uint64_t seed) {
                const auto x = inputs.get<float>("x");
#pragma omp parallel for
                for (std::size_t i = 0; i < x.size(); ++i) x[i] = factor * (2 * random_float(seed, i) - 1);
              },
          .reference =
              [](const Arrays& inputs, Arrays& outputs) {
                normalize::normalize(inputs.get<float>("x"), outputs.get<float>("y"));
              },
          .reference_openmp =
              [](const Arrays& inputs, Arrays& outputs) {
                normalize::normalize_openmp(inputs.get<float>("x"), outputs.get<float>("y"));
              },
          .traffic = {.bytes_read = 2 * bytes,  // no element can be scaled before the last has been added
                      .bytes_written = bytes,
                      .operations = 3 * static_cast<double>(n)},
          .tolerance = {.relative = 0x1p-23},  // one rounding of the result, in either
          .findings = error_of};
}

// The first kernel has to be done before the second begins: that is the order of a stream.
std::function<void(Execution&)> sum_and_scale(const std::string& sum_kernel,
                                              const std::string& scale_kernel) {
  return [=](Execution& run) {
    const std::size_t n = run.request().size();
    LaunchRequest request = run.request();  // for the kernel that sums; of the other more blocks may fit
    run.clear("sum_of_squares");
    run.launch(sum_kernel, resident_blocks(request), sum_parameters(n));
    request.resident_blocks = run.resident_blocks(scale_kernel, scale_parameters(n), request.block_size);
    run.launch(scale_kernel, resident_blocks(request), scale_parameters(n));
  };
}

Parameters finish_parameters(const Settings& settings) {
  return kernel_parameters(vector(settings.size), cleared_scratch<double>("running_sum", 1),
                           cleared_scratch<int>("blocks_done", 1), scratch<double>("scale", 1),
                           scalar<int>("size", settings.size));
}

void sum_and_finish_then_scale_backwards(Execution& run) {
  const std::size_t n = run.request().size();
  run.launch("normalize_sum_and_finish", resident_blocks(run.request()),
             finish_parameters(run.request().settings));
  LaunchRequest scaling = run.request();
  scaling.block_size = std::min(scaling.block_size, 256u);  // blocks that end at once need no more
  run.launch("normalize_scale_backwards", one_thread_per_four_elements(scaling),
             kernel_parameters(vector(n), reads(scratch<double>("scale", 1)), output<float>("y", n),
                               scalar<int>("size", n)));
}

Parameters on_chip_parameters(const Settings& settings) {
  const std::size_t n = settings.size;
  return kernel_parameters(vector(n), scratch<double>("sums_of_blocks", most_blocks_on_chip),
                           cleared_scratch<int>("arrived", 1), output<float>("y", n), scalar<int>("size", n));
}

void keep_on_chip(Execution& run) {
  const Parameters arguments = on_chip_parameters(run.request().settings);
  const unsigned blocks =
      run.resident_blocks("normalize_on_chip", arguments, run.request().block_size, bytes_on_chip);
  run.launch("normalize_on_chip",
             LaunchConfig{.grid = {std::min(blocks, most_blocks_on_chip)},
                          .block = {run.request().block_size},
                          .dynamic_shared_bytes = bytes_on_chip,
                          .cooperative = true},
             arguments);
}

Parameters of_the_sum(const Settings& settings) {
  return sum_parameters(settings.size);
}

}  // namespace

Lesson normalize() {
  return {
      .name = "normalize",
      .title = "Divide a vector by its length: two kernels",
      .place = {.episode = 8, .step = 4},
      .page = "Vector normalization (Numba slides)",
      .text = R"(Every element depends on the sum of the squares of all elements, so no
block can finish before all have added their part. Blocks of an ordinary
launch cannot wait for each other; the end of a kernel is where everything is
done. Hence two kernels. In the first every thread is responsible for a part
of the vector and the block adds up in shared memory, or by shuffles; the
second scales. on-chip launches blocks that all run at once, and may wait.
The squares are summed in double: the square of a float may be too large or
too small for a float, but a double holds it exactly. The zero vector has no
direction and stays zero (0 / 0 would be NaN). With an infinity in x, finite
elements become 0 and the infinite one NaN, as IEEE 754 divides; a NaN makes
all elements NaN. --values tries vectors whose squares float cannot hold.)",
      .kernels = "normalize.cu",
      .default_size = std::size_t{1} << 25,
      .largest_size = largest_int_index,
      .options = {{.name = "values",
                   .help = "how large the elements are",
                   .kind = Choice{{"uniform", "huge", "tiny", "zero"}}}},
      .problem = normalized_vector,
      .variants = {{.name = "shared",
                    .kernel = "normalize_sum_shared",
                    .idea = "a tree in shared memory, one atomic per block; then the kernel that scales",
                    .block = {.threads = 256, .power_of_two = true},
                    .parameters = of_the_sum,
                    .steps = sum_and_scale("normalize_sum_shared", "normalize_scale")},
                   {.name = "shuffle",
                    .kernel = "normalize_sum_shuffle",
                    .idea = "sums go from register to register within a warp",
                    .block = {.threads = 256, .multiple_of = 32},
                    .parameters = of_the_sum,
                    .steps = sum_and_scale("normalize_sum_shuffle", "normalize_scale")},
                   {.name = "wide-loads",
                    .kernel = "normalize_sum_wide_loads",
                    .idea = "16-byte loads and stores in both kernels",
                    .block = {.threads = 256, .multiple_of = 32},
                    .parameters = of_the_sum,
                    .steps = sum_and_scale("normalize_sum_wide_loads", "normalize_scale_wide_loads")},
                   {.name = "backwards",
                    .kernel = "normalize_sum_and_finish",
                    .idea = "the last block works out the scale; the end of x, still in L2, is scaled first",
                    .block = {.threads = 1024, .multiple_of = 32},
                    .parameters = finish_parameters,
                    .steps = sum_and_finish_then_scale_backwards},
                   {.name = "on-chip",
                    .kernel = "normalize_on_chip",
                    .idea = "one launch: blocks wait for each other, and keep part of x meanwhile; cuda only",
                    .block = only_blocks_of(1024),
                    .parameters = on_chip_parameters,
                    .steps = keep_on_chip,
                    .needs = GpuNeed{.major = 6, .shared_bytes = bytes_on_chip + 512}}},
      // The product with the inverse of a norm in float32: three roundings instead of one.
      .yardsticks = {{.name = "cublas",
                      .idea = "cublasSnrm2 and cublasSscal, a product with the inverse",
                      .library = "cublas-normalize",
                      .tolerance = Tolerance{.relative = 0x1p-21}}},
      .limits = {{.label = "2^25",
                  .size = std::size_t{1} << 25,
                  .rung = "on-chip",
                  .yardstick = "cublas",
                  .targets = {{Target::Kind::times_yardstick, 1.7}}},
                 {.label = "2^28",
                  .size = std::size_t{1} << 28,
                  .rung = "backwards",
                  .yardstick = "cublas",
                  .targets = {{Target::Kind::times_yardstick, 1.5}}}},
      .solution = "shared"};
}

}  // namespace gpulab::lessons
