#include "radio_astronomy/sky_findings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "radio_astronomy/find_sources.hpp"
#include "radio_astronomy/published_figures.hpp"
#include "radio_astronomy/sky_arrays.hpp"
#include "radio_astronomy/source_table.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace {

// Returns the number with four digits: 0.04992.
std::string rounded(double number, const std::string& unit) {
  std::array<char, 32> buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::general, 4);
  return std::string(buffer.data(), end) + (unit.empty() ? "" : " " + unit);
}

// Returns the maximum of all pixels that are numbers.
double maximum_of(std::span<const float> pixels) {
  return std::ranges::max(pixels, {}, [](float pixel) { return std::isnan(pixel) ? -INFINITY : pixel; });
}

int labels_in(const Outputs& outputs) {
  return *std::ranges::max_element(outputs[labels]);
}

std::vector<std::string> remarks_on(const image::Image& image, const Inputs& inputs, const Outputs& outputs,
                                    const std::vector<Source>& sources) {
  const double sigma = outputs[noise][1];
  const auto kept = static_cast<std::uint64_t>(outputs[noise][2]);
  const auto pixels = inputs[sky];
  std::vector<std::string> remarks{"sources are pixels above " + rounded(source_sigma * sigma, image.unit) +
                                   ": 5 sigma of the " + grouped(kept) + " values that clipping left, of " +
                                   grouped(pixels.size())};
  if (image.blanks > 0) remarks.push_back(grouped(image.blanks) + " pixels are blank and are not counted");
  if (const auto count = static_cast<std::size_t>(labels_in(outputs)); count > sources.size())
    remarks.push_back("there are " + grouped(count) + " sources; the catalogue has the first " +
                      grouped(sources.size()));
  if (!image.file.empty() && is_image_of_course(image.file))
    remarks.push_back(compared_with_course(figures_of(maximum_of(pixels), sigma, sources)));
  return remarks;
}

}  // namespace

std::vector<Source> sources_in(const Outputs& outputs) {
  const auto x = outputs[center_x], y = outputs[center_y], fluxes = outputs[flux];
  const auto peaks = outputs[peak];
  const auto pixels = outputs[source_pixels];
  std::vector<Source> sources;
  for (std::size_t row = 0; row < pixels.size() && pixels[row] > 0; ++row)
    sources.push_back({x[row], y[row], fluxes[row], peaks[row], pixels[row]});
  return sources;
}

Findings sky_findings(const image::Image& image, const Inputs& inputs, const Outputs& outputs) {
  const std::vector<Source> sources = sources_in(outputs);
  const double sigma = outputs[noise][1];
  return {.figures = {{"sources", static_cast<double>(labels_in(outputs))}, {"sigma", sigma, image.unit}},
          .records = source_records(sources, image.unit),
          .remarks = remarks_on(image, inputs, outputs, sources)};
}

}  // namespace gpulab::lessons::radio_astronomy
