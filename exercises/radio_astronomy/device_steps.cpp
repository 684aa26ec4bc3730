#include "radio_astronomy/device_steps.hpp"

#include <algorithm>

#include "radio_astronomy/sky_arrays.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace {

// Clipping ends after about ten rounds. A broken kernel must not keep the host for ever.
constexpr int max_rounds = 100;

const Scalar<int> shift{"shift"}, blocks_of{"blocks"};

LaunchConfig one_thread_each(const Execution& run, std::size_t items) {
  const unsigned threads = run.request().block_size;
  return {.grid = {ceil_div(items, threads)}, .block = {threads}};
}

LaunchConfig one_thread_per_pixel_in_a_row(const Execution& run) {
  return one_thread_each(run, run.request().size());
}

// Returns the number of blocks that the device holds at once, or fewer if these cover all pixels.
unsigned striding_blocks(Execution& run, const std::string& kernel, const Arguments& arguments) {
  const LaunchRequest& request = run.request();
  const unsigned resident = run.resident_blocks(kernel, arguments, request.block_size);
  return std::max(std::min(resident, ceil_div(request.size(), request.block_size)), 1u);
}

// Finds, by radix selection, the two middle kept values: four times eight bits.
void find_middle(Execution& run) {
  for (const int bits : {24, 16, 8, 0}) {
    const Arguments counting{sky, reads(bounds), reads(keys), digit_counts, shift(bits), size};
    const unsigned blocks = striding_blocks(run, "count_digits", counting);
    run.launch("count_digits", LaunchConfig{{(blocks + 1) / 2, 2}, {run.request().block_size}}, counting);
    run.launch("choose_digit", LaunchConfig{{2}, {256}}, {digit_counts, keys, ranks, shift(bits)});
  }
}

void narrow_bounds(Execution& run) {
  const Arguments summing{sky, reads(bounds), reads(keys), partials, size};
  const unsigned blocks = std::min(striding_blocks(run, "sum_distances", summing), max_partials);
  run.launch("sum_distances", LaunchConfig{{blocks}, {run.request().block_size}}, summing);
  run.launch("narrow_bounds", LaunchConfig{{1}, {256}},
             {reads(partials), reads(keys), bounds, noise, blocks_of(blocks)});
}

Arguments arguments_on_chip(int rows) {
  return {sky, pass_counts, partials, noise, rows_on_chip(rows), size};
}

}  // namespace

void clip_on_device(Execution& run) {
  run.clear(digit_counts);
  run.launch("open_bounds", LaunchConfig{}, {bounds});
  double kept = -1, kept_before = 0;
  for (int round = 0; kept != kept_before && round < max_rounds; ++round) {
    find_middle(run);
    narrow_bounds(run);
    kept_before = kept;
    kept = run.read(noise, 3)[2];
  }
}

void clip_on_chip(Execution& run) {
  const std::string kernel = "clip_on_chip";
  constexpr unsigned threads = 1024, row_bytes = threads * 16;
  // Rows that fit beside the counters, by compute capability: 9.0 and later, 8.0, others from 8.6 on, 7.5.
  for (const int rows : {12, 8, 4, 1}) {
    const Arguments clipping = arguments_on_chip(rows);
    const unsigned bytes = static_cast<unsigned>(rows) * row_bytes;
    const unsigned resident = run.resident_blocks(kernel, clipping, threads, bytes);
    if (resident == 0 && rows > 1) continue;  // if not even one fits, the launch says why
    const unsigned blocks = std::min({std::max(resident, 1u), ceil_div(run.request().size(), 4 * threads), max_partials});
    run.clear(pass_counts);
    return run.launch(
        kernel,
        LaunchConfig{
            .grid = {blocks}, .block = {threads}, .dynamic_shared_bytes = bytes, .cooperative = true},
        clipping);
  }
}

void segment_on_device(Execution& run, ReadsFrom source) {
  const Argument<const double*> used = source == ReadsFrom::reference ? known_noise : reads(noise);
  run.launch("above_5_sigma", one_thread_per_pixel_in_a_row(run), {sky, used, mask, size});
}

void label_on_device(Execution& run, ReadsFrom source) {
  const Argument<const std::uint8_t*> used = source == ReadsFrom::reference ? known_mask : reads(mask);
  const LaunchConfig all = one_thread_per_pixel_in_a_row(run);
  run.launch("start_alone", all, {used, parents, size});
  run.launch("join_neighbours", all, {used, parents, width, size});
  run.launch("find_roots", all, {parents, block_roots, size});
  run.launch("scan_roots", LaunchConfig{{1}, {1024}},
             {reads(block_roots), roots_before, blocks_of(all.grid.x)});
  run.launch("number_roots", all, {reads(parents), reads(roots_before), labels, size});
  run.launch("spread_numbers", all, {reads(parents), labels, size});
}

void measure_on_device(Execution& run, ReadsFrom source) {
  const Argument<const std::int32_t*> used = source == ReadsFrom::reference ? known_labels : reads(labels);
  for (const AnyOutput& sum : catalogue) run.clear(sum);
  run.launch("add_pixels", one_thread_per_pixel_in_a_row(run),
             {sky, used, center_x, center_y, flux, peak, source_pixels, width, rows, size});
  run.launch("divide_by_flux", one_thread_each(run, catalogue_rows), {reads(flux), center_x, center_y, rows});
}

void find_sources_on_chip(Execution& run) {
  clip_on_chip(run);
  constexpr unsigned threads = 256;
  const LaunchConfig fours{.grid = {ceil_div(run.request().size(), 4 * threads)}, .block = {threads}};
  run.launch("segment_fours", fours,
             {sky, reads(noise), mask, parents, center_x, center_y, flux, peak, source_pixels, rows, size});
  run.launch("join_fours", fours, {reads(mask), parents, width, size});
  run.launch("find_roots_of_fours", fours, {reads(mask), parents, block_roots, size});
  run.launch("scan_roots", LaunchConfig{{1}, {1024}},
             {reads(block_roots), roots_before, blocks_of(fours.grid.x)});
  run.launch("number_fours", fours, {reads(mask), parents, reads(roots_before), size});
  run.launch("label_and_measure_fours", fours,
             {sky, reads(mask), reads(parents), labels, center_x, center_y, flux, peak, source_pixels, width,
              rows, size});
  run.launch("divide_by_flux", one_thread_each(run, catalogue_rows), {reads(flux), center_x, center_y, rows});
}

}  // namespace gpulab::lessons::radio_astronomy
