#include "image/image.hpp"

#include <fmt/format.h>
#include <png.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gpulab::image {
namespace {

// Largest number of pixels that kernels can index with int, without overflow one grid stride past the end.
constexpr std::uint64_t max_pixels = (std::uint64_t{1} << 31) - (std::uint64_t{1} << 21);

}  // namespace

UnreadableFile cut_short(const std::filesystem::path& file) {
  return UnreadableFile(file.string(), "it ends before its image does; copy or download it again");
}

void require_possible_size(const std::filesystem::path& file, std::uint64_t width, std::uint64_t height) {
  const std::string size = fmt::format("{} x {} pixels", grouped(width), grouped(height));
  if (width == 0 || height == 0)
    throw UnreadableFile(file.string(), "its image is empty, " + size + "; name a file with an image in it");
  if (width > max_pixels / height)
    throw UnreadableFile(file.string(),
                         fmt::format("its image has {}, and at most {} are possible; cut out a part of it",
                                     size, grouped(max_pixels)));
}

namespace {

namespace fs = std::filesystem;

void require_file(const fs::path& file) {
  std::error_code failed;
  const fs::file_status status = fs::status(file, failed);
  if (status.type() == fs::file_type::not_found)
    throw UnreadableFile(file.string(), "there is no such file; check its name and folder");
  if (failed) throw UnreadableFile(file.string(), failed.message() + "; check its name and permissions");
  if (fs::is_directory(status))
    throw UnreadableFile(file.string(), "it is a folder; name a FITS or PNG file in it");
  if (!fs::is_regular_file(status))
    throw UnreadableFile(file.string(), "it is a pipe or a device; write its data to a file first");
}

std::string contents_of(const fs::path& file) {
  require_file(file);
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw UnreadableFile(file.string(), std::string(std::strerror(errno)) + "; check its permissions");
  std::string contents(fs::file_size(file), '\0');
  stream.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  if (!stream) throw UnreadableFile(file.string(), "reading stopped before its end; copy it again");
  return contents;
}

Image parse(std::string contents, const fs::path& file) {
  if (contents.empty()) throw UnreadableFile(file.string(), "it is empty; copy or download it again");
  if (contents.starts_with("SIMPLE  =")) return read_fits(std::move(contents), file);
  if (contents.starts_with("\x89PNG\r\n\x1a\n")) return read_png(contents, file);
  if (contents.starts_with("\x1f\x8b"))
    throw UnreadableFile(file.string(), "it is compressed with gzip; unpack it first, with gunzip");
  throw UnreadableFile(file.string(), "it is neither FITS nor PNG; convert it to one of them");
}

}  // namespace

Image read_image(const fs::path& file) {
  try {
    return parse(contents_of(file), file);
  } catch (const std::bad_alloc&) {
    throw UnreadableFile(file.string(),
                         "its image does not fit in this machine's memory; cut out a part of it");
  }
}

namespace {

struct Range {
  std::size_t begin, end;
};

// Returns the indices in [0, size) that are within that distance of the middle, and up to one more on each
// side.
Range pixels_within(double middle, double distance, std::size_t size) {
  const auto clamped = [&](double position) {
    return static_cast<std::size_t>(std::clamp(position, 0.0, static_cast<double>(size)));
  };
  return {clamped(std::floor(middle - distance)), clamped(std::ceil(middle + distance) + 1)};
}

}  // namespace

void draw_circle(Picture& picture, double x, double y, double radius, Colour colour) {
  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(radius)) return;
  const Range columns = pixels_within(x, radius + 1, picture.width());
  const Range rows = pixels_within(y, radius + 1, picture.height());
  for (std::size_t row = rows.begin; row < rows.end; ++row)
    for (std::size_t column = columns.begin; column < columns.end; ++column) {
      const double distance = std::hypot(static_cast<double>(column) - x, static_cast<double>(row) - y);
      if (std::abs(distance - radius) <= 0.5) picture.at(column, row) = colour;
    }
}

namespace {

float percentile(std::vector<float>& values, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()));
  const auto index = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

}  // namespace

GreyScale percentile_scale(std::span<const float> pixels, double black_percent, double white_percent) {
  std::vector<float> values;
  values.reserve(pixels.size());
  std::copy_if(pixels.begin(), pixels.end(), std::back_inserter(values),
               [](float pixel) { return !std::isnan(pixel); });
  if (values.empty()) return {};
  return {.black = percentile(values, black_percent), .white = percentile(values, white_percent)};
}

std::uint8_t grey_level(float value, const GreyScale& scale) {
  if (!(value > scale.black)) return 0;
  if (value >= scale.white) return 255;
  const double black = scale.black;
  return static_cast<std::uint8_t>(std::lround(255 * (value - black) / (scale.white - black)));
}

Picture grey_picture(std::span<const float> pixels, std::size_t width, std::size_t height,
                     const GreyScale& scale) {
  if (pixels.size() != width * height) throw std::logic_error("a picture needs width x height values");
  Picture picture(width, height);
  for (std::size_t row = 0; row < height; ++row)
    for (std::size_t column = 0; column < width; ++column) {
      const std::uint8_t level = grey_level(pixels[row * width + column], scale);
      picture.at(column, row) = {level, level, level};
    }
  return picture;
}

namespace {

constexpr std::size_t longest_side = 1'000'000;  // libpng's own limit

UsageError refusal(std::size_t width, std::size_t height, const std::string& why) {
  return UsageError(fmt::format("cannot make a PNG of {} x {} pixels: {}; make a smaller picture",
                                grouped(width), grouped(height), why));
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

}  // namespace gpulab::image
