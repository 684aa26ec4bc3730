#include "radio_astronomy/sky_problem.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/error.hpp"
#include "core/lesson.hpp"
#include "core/number_text.hpp"
#include "image/image.hpp"
#include "image/picture.hpp"
#include "radio_astronomy/find_sources.hpp"
#include "radio_astronomy/marked_picture.hpp"
#include "radio_astronomy/sky_arrays.hpp"
#include "radio_astronomy/sky_findings.hpp"
#include "radio_astronomy/source_table.hpp"
#include "radio_astronomy/synthetic_sky.hpp"

namespace gpulab::radio {
namespace {

image::Image read_sky(const std::filesystem::path& file) {
  image::Image image = image::read_image(file);
  if (image.blanks == image.pixels.size())
    throw UsageError(file.string() + " has no pixel with a value, only blanks; name another image");
  return image;
}

// Without pixels: they depend on the seed.
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

void fill(const image::Image& image, Arrays& inputs, std::uint64_t seed) {
  const auto pixels = inputs.get<float>("image");
  if (image.file.empty())
    fill_synthetic_sky(pixels, image.width, seed);
  else
    std::ranges::copy(image.pixels, pixels.begin());
  const auto mask = inputs.get<std::uint8_t>("known_mask");
  const auto labels = inputs.get<std::int32_t>("known_labels");
  const Catalogue catalogue = find_sources(on_all_threads, pixels, image.width, mask, labels);
  copy_noise(catalogue.noise, inputs.get<double>("known_noise"));
}

// Rows without a source are zero.
template <class T>
void copy_column(const std::vector<Source>& sources, T Source::*member, std::span<T> column) {
  std::ranges::fill(column, T{});
  for (std::size_t row = 0; row < std::min(sources.size(), column.size()); ++row)
    column[row] = sources[row].*member;
}

void fill_outputs(const Steps& steps, std::size_t width, const Arrays& inputs, Arrays& outputs) {
  const Catalogue catalogue =
      find_sources(steps, inputs.get<float>("image"), width, outputs.get<std::uint8_t>("mask"),
                   outputs.get<std::int32_t>("labels"));
  copy_noise(catalogue.noise, outputs.get<double>("noise"));
  copy_column(catalogue.sources, &Source::x, outputs.get<double>("x"));
  copy_column(catalogue.sources, &Source::y, outputs.get<double>("y"));
  copy_column(catalogue.sources, &Source::flux, outputs.get<double>("flux"));
  copy_column(catalogue.sources, &Source::peak, outputs.get<float>("peak"));
  copy_column(catalogue.sources, &Source::pixels, outputs.get<std::int32_t>("pixels"));
}

}  // namespace

Problem sky_problem(const Settings& settings) {
  const auto file = settings.file("input");
  const auto image =
      std::make_shared<const image::Image>(file ? read_sky(*file) : plan_of_synthetic_sky(settings));
  const std::size_t width = image->width, pixels = width * image->height;
  if (settings.file("save")) image::require_picture_size(width, image->height);
  const SkyArrays sky{pixels};
  const double count = static_cast<double>(pixels);
  return {
      .description = description_of(*image),
      .parameters =
          kernel_parameters(sky.image(), sky.known_noise(), sky.mask(), scalar<int>("size", pixels)),
      .others =
          other_arrays(sky.known_mask(), sky.known_labels(), sky.noise(), sky.labels(), sky.x(), sky.y(),
                       sky.flux(), sky.peak(), sky.source_pixels(), sky.bounds(), sky.counts(), sky.keys(),
                       sky.ranks(), sky.partials(), sky.parents(), sky.block_roots(), sky.roots_before()),
      .work = Extent{static_cast<unsigned>(width), static_cast<unsigned>(image->height)},
      .fill = [image](Arrays& inputs, std::uint64_t seed) { fill(*image, inputs, seed); },
      .reference = [width](const Arrays& inputs,
                           Arrays& outputs) { fill_outputs(on_one_thread, width, inputs, outputs); },
      .reference_openmp = [width](const Arrays& inputs,
                                  Arrays& outputs) { fill_outputs(on_all_threads, width, inputs, outputs); },
      .traffic = {.bytes_read = count * sizeof(float), .bytes_written = count * (1 + sizeof(std::int32_t))},
      .tolerance = {.relative = 1e-9},  // sums in double, added up in another order
      .findings = [image](const Arrays& inputs,
                          const Arrays& outputs) { return sky_findings(*image, inputs, outputs); },
      .artifacts = {{"catalogue",
                     [](const Arrays&, const Arrays& outputs) { return source_csv(sources_in(outputs)); }},
                    {"save",
                     [width](const Arrays& inputs, const Arrays& outputs) {
                       return image::png_bytes(
                           marked_picture(inputs.get<float>("image"), width, sources_in(outputs)));
                     }}},
      .copied = {"image", "noise", "mask", "labels", "x", "y", "flux", "peak", "pixels"}};
}

}  // namespace gpulab::radio
