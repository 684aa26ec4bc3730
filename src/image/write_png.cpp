#include "image/write_png.hpp"

#include <png.h>

#include "core/error.hpp"
#include "core/number_text.hpp"

namespace gpulab {
namespace {

constexpr std::size_t longest_side = 1'000'000;  // libpng's own limit

UsageError refusal(std::size_t width, std::size_t height, const std::string& why) {
  return UsageError("cannot make a PNG of " + grouped(width) + " x " + grouped(height) + " pixels: " + why +
                    "; make a smaller picture");
}

}  // namespace

void require_picture_size(std::size_t width, std::size_t height) {
  if (width > longest_side || height > longest_side)
    throw refusal(width, height, "a side has at most " + grouped(longest_side));
}

std::string png_bytes(const Picture& picture) {
  static_assert(sizeof(Colour) == 3, "libpng takes the colours as bytes");
  require_picture_size(picture.width(), picture.height());

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width());
  image.height = static_cast<png_uint_32>(picture.height());
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels().data(), 0, nullptr))
    throw refusal(picture.width(), picture.height(), image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace gpulab
