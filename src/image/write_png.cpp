#include "image/write_png.hpp"

#include <png.h>

#include "core/error.hpp"
#include "core/number_text.hpp"

namespace gpulab {

std::string png_bytes(const Picture& picture) {
  static_assert(sizeof(Colour) == 3, "libpng takes the colours as bytes");
  const auto refuse = [&](const std::string& why) -> UsageError {
    return UsageError("cannot make a PNG of " + grouped(picture.width()) + " x " + grouped(picture.height()) +
                      " pixels: " + why + "; make a smaller picture");
  };
  constexpr std::size_t longest_side = 1'000'000;  // libpng's own limit
  if (picture.width() > longest_side || picture.height() > longest_side)
    throw refuse("a side has at most " + grouped(longest_side));

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width());
  image.height = static_cast<png_uint_32>(picture.height());
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels().data(), 0, nullptr))
    throw refuse(image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace gpulab
