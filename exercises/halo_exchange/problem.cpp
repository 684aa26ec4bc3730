#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "convolution/reference.hpp"
#include "halo_exchange/arrays.hpp"
#include "halo_exchange/wrong_halos.hpp"
#include "lesson/launch.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::lessons::halo_exchange {
namespace {

constexpr int ranks_on_one_gpu = 4;  // without --gpus

// Cost of a launch in a check. It makes checks prefer few ranks.
constexpr double accesses_per_launch = 3000;

// Returns weights that differ in every place, so that no symmetry hides a mistake. They add up to 1.
std::vector<float> weights(std::size_t side) {
  std::vector<float> values = convolution::ramp_filter(side).values;
  const float sum = std::accumulate(values.begin(), values.end(), 0.0f);
  for (float& value : values) value /= sum;
  return values;
}

using Convolve = decltype(&convolution::convolve);

void convolve_repeatedly(Convolve convolve, const convolution::Frame& frame, std::size_t side,
                         std::size_t steps, const Inputs& inputs, Outputs& outputs) {
  convolution::Filter flipped{side, side, weights(side)};
  std::ranges::reverse(flipped.values);
  const std::span<const float> padded = inputs[image];
  std::vector<float> from(padded.begin() + static_cast<std::ptrdiff_t>(side / 2 * frame.width),
                          padded.end() - static_cast<std::ptrdiff_t>(side / 2 * frame.width));
  std::vector<float> to(from.size());
  for (std::size_t step = 0; step < steps; ++step) {
    convolve(frame, from, flipped, convolution::Border::zero, to);
    from.swap(to);
  }
  std::ranges::copy(from, outputs[output].begin());
}

void require_countable(std::size_t columns, std::size_t rows) {
  if (columns > largest_int_index / rows)
    throw UsageError("an image of " + grouped(columns) + " x " + grouped(rows) +
                     " pixels has more than the " + grouped(largest_int_index) +
                     " that kernels can index with an int: choose a smaller width or height");
}

std::string rows_text(const Share& rows) {
  if (rows.count == 0) return "no rows";
  return "rows " + grouped(rows.first) + " to " + grouped(rows.end() - 1);
}

}  // namespace

int ranks_with_rows(int ranks, std::size_t height, std::size_t halo) {
  const std::size_t max_ranks = std::max<std::size_t>(1, height / std::max<std::size_t>(1, halo));
  return static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(ranks), max_ranks));
}

Share rows_of(int rank, int ranks, std::size_t height, std::size_t halo) {
  const int with_rows = ranks_with_rows(ranks, height, halo);
  return rank < with_rows ? share_of(height, rank, with_rows) : Share{height, 0};
}

Problem problem(const Settings& settings) {
  const std::size_t columns = settings.count("width"), rows = settings.count("height"),
                    filter_side = settings.count("filter-side"), step_count = settings.count("steps"),
                    gpus = settings.count("gpus");
  if (filter_side % 2 == 0)
    throw UsageError("--filter-side " + std::to_string(filter_side) +
                     ": it must be odd, so that the filter has a centre");
  const std::size_t halo_rows = filter_side / 2;
  const int ranks = gpus == 0 ? ranks_on_one_gpu : static_cast<int>(gpus);
  const std::size_t rows_held_by_all = rows + 2 * halo_rows * static_cast<std::size_t>(ranks);
  require_countable(columns, rows_held_by_all);
  const convolution::Frame frame{columns, rows};
  const auto with = [=](Convolve convolve) -> Reference {
    return [=](const Inputs& in, Outputs& out) {
      convolve_repeatedly(convolve, frame, filter_side, step_count, in, out);
    };
  };
  const double products =
      static_cast<double>(columns * rows) * static_cast<double>(filter_side * filter_side * step_count);
  return {.description = grouped(columns) + " x " + grouped(rows) + " float32, filter " +
                         grouped(filter_side) + " x " + grouped(filter_side) + ", " + grouped(step_count) +
                         " steps, divided among " + std::to_string(ranks) + " GPUs",
          .arrays = {image(columns, rows + 2 * halo_rows), filter(filter_side, filter_side),
                     output(columns, rows), even(columns, rows_held_by_all), odd(columns, rows_held_by_all)},
          .scalars = {width(columns), height(rows), side(filter_side), halo(halo_rows), steps(step_count),
                      own(rows), own_above(0), count(rows), rank_of(0), ranks_of(ranks)},
          .fill =
              [=](Inputs& inputs, std::uint64_t seed) {
                each_element(image, [=](std::uint64_t seed_of_image, std::size_t i) {
                  const std::size_t row = i / columns;
                  return row < halo_rows || row >= halo_rows + rows ? 0.0f : random_float(seed_of_image, i);
                })(inputs, seed);
                std::ranges::copy(weights(filter_side), inputs[filter].begin());
              },
          .references = {.plain = with(convolution::convolve), .openmp = with(convolution::convolve_openmp)},
          .traffic = {.operations = 2 * products, .limited_by_operations = true},
          .work_to_check = 2 * products + accesses_per_launch * 2 * ranks * static_cast<double>(step_count),
          // Each step adds up filter_side^2 terms, none of them negative. Pixels of a small image fade to
          // nothing.
          .tolerance = {.relative = static_cast<double>(step_count * filter_side * filter_side) * 0x1p-23,
                        .absolute = 1e-30},
          .element = "pixel",
          .typically_wrong = wrong_halos({columns, rows, filter_side, step_count, ranks}),
          .part =
              [=](int rank, int all) {
                const Share own_rows = rows_of(rank, all, rows, halo_rows);
                const Share held{own_rows.first * columns,
                                 own_rows.count > 0 ? (own_rows.count + 2 * halo_rows) * columns : 0};
                return PartOfProblem{
                    .arrays = {{image, held, columns},
                               {output, {own_rows.first * columns, own_rows.count * columns}, columns},
                               {even, {0, held.count}, columns},
                               {odd, {0, held.count}, columns}},
                    .scalars = {own(own_rows.count), count(own_rows.count), rank_of(rank),
                                ranks_of(ranks_with_rows(all, rows, halo_rows)),
                                own_above(rank > 0 ? rows_of(rank - 1, all, rows, halo_rows).count : 0)},
                    .description = rows_text(own_rows)};
              },
          .ranks_in_turn = ranks,
          .copied = {image, filter, output}};
}

}  // namespace gpulab::lessons::halo_exchange
