#include "radio_astronomy/marked_picture.hpp"

#include <cmath>
#include <numbers>

#include "image/image.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace {

constexpr image::Colour mark{255, 64, 32};
constexpr double clearance = 4;  // pixels between a source and its circle

}  // namespace

image::Picture marked_picture(std::span<const float> image, std::size_t width,
                              const std::vector<Source>& sources) {
  image::Picture picture =
      image::grey_picture(image, width, image.size() / width, image::percentile_scale(image, 1, 99.5));
  for (const Source& source : sources)
    image::draw_circle(picture, source.x, source.y, std::sqrt(source.pixels / std::numbers::pi) + clearance,
                       mark);
  return picture;
}

}  // namespace gpulab::lessons::radio_astronomy
