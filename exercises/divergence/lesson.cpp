#include "core/lesson.hpp"

#include "core/number_text.hpp"
#include "core/random.hpp"

namespace gpulab::lessons {
namespace {

constexpr int steps = 64;

float step_up(float x) {
  for (int step = 0; step < steps; ++step) x = 1.001f * x + 0.25f;
  return x;
}

float step_down(float x) {
  for (int step = 0; step < steps; ++step) x = 0.999f * x - 0.125f;
  return x;
}

void fill(Arrays& inputs, std::uint64_t seed) {
  const auto input = inputs.get<float>("input");
  const auto kind = inputs.get<int>("kind");
#pragma omp parallel for
  for (std::size_t i = 0; i < input.size(); ++i) {
    input[i] = 1000 * random_float(2 * seed, i);
    kind[i] = static_cast<int>(random_bits(2 * seed + 1, i) >> 63);
  }
}

void reference(const Arrays& inputs, Arrays& outputs) {
  const auto input = inputs.get<float>("input");
  const auto kind = inputs.get<int>("kind");
  const auto output = outputs.get<float>("output"), by_kind = outputs.get<float>("by_kind");
  for (std::size_t i = 0; i < input.size(); ++i) {
    output[i] = i % 2 == 0 ? step_up(input[i]) : step_down(input[i]);
    by_kind[i] = kind[i] == 0 ? step_up(input[i]) : step_down(input[i]);
  }
}

void reference_openmp(const Arrays& inputs, Arrays& outputs) {
  const auto input = inputs.get<float>("input");
  const auto kind = inputs.get<int>("kind");
  const auto output = outputs.get<float>("output"), by_kind = outputs.get<float>("by_kind");
  // Both ways and a choice: what a CPU's vector unit does with a branch.
#pragma omp parallel for simd
  for (std::size_t i = 0; i < input.size(); ++i) {
    const float up = step_up(input[i]), down = step_down(input[i]);
    output[i] = i % 2 == 0 ? up : down;
    by_kind[i] = kind[i] == 0 ? up : down;
  }
}

Parameters with_kinds(const Settings& settings) {
  const std::size_t n = settings.size;
  return kernel_parameters(input<float>("input", n), input<int>("kind", n), output<float>("by_kind", n),
                           scalar<int>("size", n));
}

Problem branches(const Settings& settings) {
  const std::size_t n = settings.size;
  const double bytes = static_cast<double>(n) * sizeof(float);
  return {.description = grouped(n) + " float32, two kinds of work",
          .parameters =
              kernel_parameters(input<float>("input", n), output<float>("output", n), scalar<int>("size", n)),
          .others = other_arrays(input<int>("kind", n), output<float>("by_kind", n)),
          .fill = fill,
          .reference = reference,
          .reference_openmp = reference_openmp,
          .traffic = {.bytes_read = bytes,
                      .bytes_written = bytes,
                      .operations = 2.0 * steps * static_cast<double>(n)},
          // A device may round a product and a sum together or apart: at most 2^-24 of the value in each
          // step. A small difference of larger values has their error.
          .tolerance = {.relative = 1e-5, .absolute = 1e-4},
          .uses = [](std::size_t i) {
            return std::vector<InputElement>{{"input", i}};
          }};
}

// Two warps share 64 elements, so the grid covers whole sixty-fours. Lanes take every other element.
LaunchConfig whole_pairs_of_warps(const LaunchRequest& request) {
  const std::size_t threads = std::size_t{ceil_div(request.size(), 64)} * 64;
  return {.grid = {ceil_div(threads, request.block_size)}, .block = {request.block_size}};
}

}  // namespace

Lesson divergence() {
  return {.name = "divergence",
          .title = "Divergence: when the lanes of a warp go different ways",
          .place = {.episode = 7, .step = 3},
          .page = "no page of its own: learners asked for it in class",
          .text = R"(The 32 threads of a warp run one instruction together. Where a branch sends
some of them one way and some the other, the warp goes both ways, one after
the other, and lanes that do not belong there wait: they are not active. A
branch that all lanes of a warp take alike costs next to nothing, so deal the
work out by warps and not by lanes. A branch on the data cannot be dealt out
unless the data are sorted. Computing both and choosing has no branch and
no idle lanes, but twice the work: good where the work is small. Active lanes
are counted on the simulator, at every access to memory.)",
          .kernels = "divergence.cu",
          .default_size = std::size_t{1} << 20,
          .largest_size = largest_int_index,
          .problem = branches,
          .variants = {{.name = "by-lane",
                        .kernel = "branch_by_lane",
                        .idea = "even lanes one way, odd lanes the other",
                        .computes = {"output"}},
                       {.name = "by-data",
                        .kernel = "branch_by_data",
                        .idea = "the data say which way",
                        .parameters = with_kinds,
                        .computes = {"by_kind"}},
                       {.name = "select",
                        .kernel = "select_without_branch",
                        .idea = "both ways in every thread, and a choice",
                        .computes = {"output"}},
                       {.name = "by-warp",
                        .kernel = "branch_by_warp",
                        .idea = "whole warps one way or the other",
                        .launch = whole_pairs_of_warps,
                        .computes = {"output"}}},
          .claims = {at_least(1.3, "by-warp", "by-lane")},
          .solution = "by-warp",
          .shows = {.accesses = {AccessMetric::lanes_per_request}}};
}

}  // namespace gpulab::lessons
