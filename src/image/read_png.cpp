#include <png.h>
#include <array>
#include <cstring>
#include <new>

#include "image/formats.hpp"

namespace gpulab::image {
namespace {

// What libpng's callbacks see of the file, and what they leave behind for a message.
struct Source {
  std::string_view unread;
  bool ran_out = false;
  std::array<char, 128> complaint{};
};

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& source = *static_cast<Source*>(png_get_io_ptr(png));
  source.ran_out = count > source.unread.size();
  if (source.ran_out) png_error(png, "end of file");
  std::memcpy(to, source.unread.data(), count);
  source.unread.remove_prefix(count);
}

[[noreturn]] void jump_back(png_structp png, png_const_charp complaint) {
  auto& source = *static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(source.complaint.data(), complaint, source.complaint.size() - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

// Bytes of a file in libpng's terms.
class PngFile {
 public:
  PngFile(std::string_view contents, const std::filesystem::path& name)
      : source_{.unread = contents},
        name_(name),
        png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, jump_back, ignore_warning)),
        info_(png_ ? png_create_info_struct(png_) : nullptr) {
    if (!info_) throw std::bad_alloc();
    png_set_read_fn(png_, &source_, read_bytes);
  }
  ~PngFile() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;

  png_structp png() const { return png_; }
  png_infop info() const { return info_; }
  std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }

  void require(bool succeeded) const {
    if (succeeded) return;
    if (source_.ran_out) throw cut_short(name_);
    throw unreadable(name_, "it is a damaged PNG file (libpng: " + std::string(source_.complaint.data()) +
                                "); copy or download it again");
  }

 private:
  Source source_;
  std::filesystem::path name_;
  png_structp png_;
  png_infop info_;
};

// libpng reports errors by a jump to setjmp, which passes destructors by. So these three functions, in which
// it may jump, own nothing; they return false after a jump.
bool read_header(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png))) return false;
  // Chunks that pixels do not need: libpng believes the length that a damaged text states, and takes the
  // memory.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(png, info);
  return true;
}

// Afterwards samples have 8 or 16 bits, palettes are colours, and alpha is gone.
bool expand_samples(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_expand(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool read_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

std::string pixel_type(png_byte colour_type, png_byte bits) {
  const std::string prefix = std::to_string(bits) + "-bit ";
  if (colour_type == PNG_COLOR_TYPE_PALETTE) return prefix + "palette";
  const bool colour = colour_type & PNG_COLOR_MASK_COLOR, alpha = colour_type & PNG_COLOR_MASK_ALPHA;
  return prefix + (colour ? "RGB" : "grey") + (alpha ? " and alpha" : "");
}

// Deflate makes at most 1032 bytes of one: a smaller file claims a size that it has not.
bool may_hold(std::size_t file_bytes, std::size_t image_bytes) {
  return image_bytes / 1032 <= file_bytes;
}

Image read_facts(const PngFile& file, const std::filesystem::path& name) {
  file.require(read_header(file.png(), file.info()));
  return {.width = png_get_image_width(file.png(), file.info()),
          .height = png_get_image_height(file.png(), file.info()),
          .file = name,
          .pixel_type = pixel_type(png_get_color_type(file.png(), file.info()),
                                   png_get_bit_depth(file.png(), file.info()))};
}

struct Samples {
  std::size_t channels;          // 1 or 3
  std::size_t bytes_per_sample;  // 1 or 2, the more significant one first
  std::vector<png_byte> bytes;

  unsigned operator[](std::size_t index) const {
    const png_byte* sample = &bytes[index * bytes_per_sample];
    return bytes_per_sample == 1 ? sample[0] : sample[0] * 256u + sample[1];
  }
};

Samples read_samples(const PngFile& file, std::size_t height) {
  file.require(expand_samples(file.png(), file.info()));
  Samples samples{.channels = png_get_channels(file.png(), file.info()),
                  .bytes_per_sample = png_get_bit_depth(file.png(), file.info()) / std::size_t{8},
                  .bytes = std::vector<png_byte>(file.row_bytes() * height)};
  std::vector<png_bytep> rows(height);
  for (std::size_t row = 0; row < height; ++row) rows[row] = &samples.bytes[row * file.row_bytes()];
  file.require(read_rows(file.png(), rows.data()));
  return samples;
}

float intensity(const Samples& samples, std::size_t pixel) {
  const float white = samples.bytes_per_sample == 1 ? 255 : 65535;
  const std::size_t first = pixel * samples.channels;
  if (samples.channels == 1) return static_cast<float>(samples[first]) / white;
  const unsigned thousandfold = 299 * samples[first] + 587 * samples[first + 1] + 114 * samples[first + 2];
  return static_cast<float>(thousandfold) / (1000 * white);
}

}  // namespace

Image read_png(std::string_view contents, const std::filesystem::path& name) {
  const PngFile file(contents, name);
  Image image = read_facts(file, name);
  require_possible_size(name, image.width, image.height);
  if (!may_hold(contents.size(), file.row_bytes() * image.height)) throw cut_short(name);
  const Samples samples = read_samples(file, image.height);
  image.pixels.resize(image.width * image.height);
  for (std::size_t pixel = 0; pixel < image.pixels.size(); ++pixel)
    image.pixels[pixel] = intensity(samples, pixel);
  return image;
}

}  // namespace gpulab::image
