#include "radio_astronomy/device_steps.hpp"

#include <algorithm>

#include "radio_astronomy/sky_arrays.hpp"

namespace gpulab::radio {
namespace {

// Clipping ends after about ten rounds. A kernel that somebody has broken must not keep the host for ever.
constexpr int most_rounds = 100;

SkyArrays arrays_of(const Execution& run) {
  return {run.request().size()};
}

LaunchConfig one_thread_each(const Execution& run, std::size_t items) {
  const unsigned threads = run.request().block_size;
  return {.grid = {ceil_div(items, threads)}, .block = {threads}};
}

// As many blocks as the device holds, but none without work.
unsigned striding_blocks(Execution& run, const std::string& kernel, const Parameters& parameters) {
  const LaunchRequest& request = run.request();
  const unsigned resident = run.resident_blocks(kernel, parameters, request.block_size);
  return std::max(std::min(resident, ceil_div(request.size(), request.block_size)), 1u);
}

// The two middle values of what is kept: four times eight bits.
void find_middle(Execution& run, const SkyArrays& sky) {
  for (const int shift : {24, 16, 8, 0}) {
    const Parameters counting =
        kernel_parameters(sky.image(), reads(sky.bounds()), reads(sky.keys()), sky.counts(),
                          scalar<int>("shift", shift), scalar<int>("size", sky.pixels));
    const unsigned blocks = striding_blocks(run, "count_digits", counting);
    run.launch("count_digits", LaunchConfig{{(blocks + 1) / 2, 2}, {run.request().block_size}}, counting);
    run.launch("choose_digit", LaunchConfig{{2}, {256}},
               kernel_parameters(sky.counts(), sky.keys(), sky.ranks(), scalar<int>("shift", shift)));
  }
}

void narrow_bounds(Execution& run, const SkyArrays& sky) {
  const Parameters summing = kernel_parameters(sky.image(), reads(sky.bounds()), reads(sky.keys()),
                                               sky.partials(), scalar<int>("size", sky.pixels));
  const unsigned blocks = std::min(striding_blocks(run, "sum_distances", summing), most_partials);
  run.launch("sum_distances", LaunchConfig{{blocks}, {run.request().block_size}}, summing);
  run.launch("narrow_bounds", LaunchConfig{{1}, {256}},
             kernel_parameters(reads(sky.partials()), reads(sky.keys()), sky.bounds(), sky.noise(),
                               scalar<int>("blocks", blocks)));
}

}  // namespace

void clip_on_device(Execution& run) {
  const SkyArrays sky = arrays_of(run);
  run.clear("counts");
  run.launch("open_bounds", LaunchConfig{}, kernel_parameters(sky.bounds()));
  double kept = -1, before = 0;
  for (int round = 0; kept != before && round < most_rounds; ++round) {
    find_middle(run, sky);
    narrow_bounds(run, sky);
    before = kept;
    kept = run.read<double>("noise", 3)[2];
  }
}

void segment_on_device(Execution& run, Uses uses) {
  const SkyArrays sky = arrays_of(run);
  const auto noise = uses == Uses::known ? sky.known_noise() : reads(sky.noise());
  run.launch("above_5_sigma", one_thread_each(run, sky.pixels),
             kernel_parameters(sky.image(), noise, sky.mask(), scalar<int>("size", sky.pixels)));
}

void label_on_device(Execution& run, Uses uses) {
  const SkyArrays sky = arrays_of(run);
  const auto mask = uses == Uses::known ? sky.known_mask() : reads(sky.mask());
  const auto parents = sky.parents();
  const auto width = scalar<int>("width", run.request().work.x), size = scalar<int>("size", sky.pixels);
  const LaunchConfig all = one_thread_each(run, sky.pixels);
  run.launch("start_alone", all, kernel_parameters(mask, parents, size));
  run.launch("join_neighbours", all, kernel_parameters(mask, parents, width, size));
  run.launch("find_roots", all, kernel_parameters(parents, sky.block_roots(), size));
  run.launch(
      "scan_roots", LaunchConfig{{1}, {1024}},
      kernel_parameters(reads(sky.block_roots()), sky.roots_before(), scalar<int>("blocks", all.grid.x)));
  run.launch("number_roots", all,
             kernel_parameters(reads(parents), reads(sky.roots_before()), sky.labels(), size));
  run.launch("spread_numbers", all, kernel_parameters(reads(parents), sky.labels(), size));
}

void measure_on_device(Execution& run, Uses uses) {
  const SkyArrays sky = arrays_of(run);
  const auto labels = uses == Uses::known ? sky.known_labels() : reads(sky.labels());
  const auto rows = scalar<int>("rows", catalogue_rows);
  for (const char* sum : {"x", "y", "flux", "peak", "pixels"}) run.clear(sum);
  run.launch(
      "add_pixels", one_thread_each(run, sky.pixels),
      kernel_parameters(sky.image(), labels, sky.x(), sky.y(), sky.flux(), sky.peak(), sky.source_pixels(),
                        scalar<int>("width", run.request().work.x), rows, scalar<int>("size", sky.pixels)));
  run.launch("divide_by_flux", one_thread_each(run, catalogue_rows),
             kernel_parameters(reads(sky.flux()), sky.x(), sky.y(), rows));
}

}  // namespace gpulab::radio
