#include "radio_astronomy/sky_problem.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "image/image.hpp"
#include "lesson/lesson.hpp"
#include "radio_astronomy/find_sources.hpp"
#include "radio_astronomy/marked_picture.hpp"
#include "radio_astronomy/sky_arrays.hpp"
#include "radio_astronomy/sky_findings.hpp"
#include "radio_astronomy/source_table.hpp"
#include "radio_astronomy/synthetic_sky.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace {

image::Image read_sky(const std::filesystem::path& file) {
  image::Image image = image::read_image(file);
  if (image.blanks == image.pixels.size())
    throw UsageError(file.string() + " has no pixel with a value, only blanks; name another image");
  return image;
}

// Returns the image without pixels, which depend on the seed.
image::Image plan_of_synthetic_sky(const Settings& settings) {
  image::Image image{.width = settings.count("width"), .height = settings.count("height"), .unit = "Jy/beam"};
  if (image.width > largest_int_index / image.height)
    throw UsageError(grouped(image.width) + " x " + grouped(image.height) +
                     " pixels are too many: a kernel can index " + grouped(largest_int_index));
  return image;
}

std::string description_of(const image::Image& image) {
  const std::string size = grouped(image.width) + " x " + grouped(image.height);
  if (image.file.empty()) return size + " float32, a synthetic sky";
  return size + " " + image.pixel_type + ", " + image.file.filename().string();
}

void copy_noise(const Noise& noise, std::span<double> to) {
  to[0] = noise.median;
  to[1] = noise.sigma;
  to[2] = static_cast<double>(noise.kept);
}

void fill(const image::Image& image, Inputs& inputs, std::uint64_t seed) {
  const auto pixels = inputs[sky];
  if (image.file.empty())
    fill_synthetic_sky(pixels, image.width, seed);
  else
    std::ranges::copy(image.pixels, pixels.begin());
  const Catalogue found =
      find_sources(on_all_threads, pixels, image.width, inputs[known_mask], inputs[known_labels]);
  copy_noise(found.noise, inputs[known_noise]);
}

// Copies a column of the catalogue; rows without a source are zero.
template <class T>
void copy_column(const std::vector<Source>& sources, T Source::*member, std::span<T> column) {
  std::ranges::fill(column, T{});
  for (std::size_t row = 0; row < std::min(sources.size(), column.size()); ++row)
    column[row] = sources[row].*member;
}

Reference outputs_by(const Steps& steps, std::size_t columns) {
  return [&steps, columns](const Inputs& inputs, Outputs& outputs) {
    const auto [found_noise, sources] =
        find_sources(steps, inputs[sky], columns, outputs[mask], outputs[labels]);
    copy_noise(found_noise, outputs[noise]);
    copy_column(sources, &Source::x, outputs[center_x]);
    copy_column(sources, &Source::y, outputs[center_y]);
    copy_column(sources, &Source::flux, outputs[flux]);
    copy_column(sources, &Source::peak, outputs[peak]);
    copy_column(sources, &Source::pixels, outputs[source_pixels]);
  };
}

}  // namespace

Problem sky_problem(const Settings& settings) {
  const auto file = settings.file("input");
  const auto image =
      std::make_shared<const image::Image>(file ? read_sky(*file) : plan_of_synthetic_sky(settings));
  const std::size_t w = image->width, h = image->height, pixels = w * h, n = catalogue_rows;
  if (settings.file("save")) image::require_picture_size(w, h);
  const double count = static_cast<double>(pixels);
  return {
      .description = description_of(*image),
      // A block has at least 32 threads, so at most pixels / 32 + 1 blocks begin a source.
      .arrays = {sky(w, h),
                 known_noise(3),
                 mask(w, h),
                 known_mask(w, h),
                 known_labels(w, h),
                 noise(3),
                 labels(w, h),
                 center_x(n),
                 center_y(n),
                 flux(n),
                 peak(n),
                 source_pixels(n),
                 bounds(2),
                 digit_counts(2, 256),
                 keys(2),
                 ranks(2),
                 partials(3, max_partials),
                 pass_counts(words_of_passes),
                 parents(w, h),
                 block_roots(pixels / 32 + 1),
                 roots_before(pixels / 32 + 2)},
      .scalars = {size(pixels), width(w), rows(n)},
      .fill = [image](Inputs& inputs, std::uint64_t seed) { fill(*image, inputs, seed); },
      .references = {.plain = outputs_by(on_one_thread, w), .openmp = outputs_by(on_all_threads, w)},
      .traffic = {.bytes_read = count * sizeof(float), .bytes_written = count * (1 + sizeof(std::int32_t))},
      .tolerance = {.relative = 1e-9},  // sums in double, added up in another order
      .findings = [image](const Inputs& in, const Outputs& out) { return sky_findings(*image, in, out); },
      .artifacts = {{"catalogue",
                     [](const Inputs&, const Outputs& out) { return source_csv(sources_in(out)); }},
                    {"save",
                     [w](const Inputs& in, const Outputs& out) {
                       return image::png_bytes(marked_picture(in[sky], w, sources_in(out)));
                     }}},
      .copied = {sky, noise, mask, labels, center_x, center_y, flux, peak, source_pixels}};
}

}  // namespace gpulab::lessons::radio_astronomy
