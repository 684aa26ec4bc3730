#include "image/image.hpp"

#include <fitsio.h>
#include <png.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <string_view>

#include "base/cpu_vectors.hpp"

namespace gpulab::image {
namespace {

constexpr std::size_t block_bytes = 2880;
constexpr std::size_t card_bytes = 80;

// A FITS header: keywords and values in cards of 80 characters, up to the END card (FITS Standard 4.0,
// section 4).
class Header {
 public:
  Header(std::string_view contents, const std::filesystem::path& name) : name_(name) {
    for (std::size_t offset = 0; offset + card_bytes <= contents.size(); offset += card_bytes)
      if (contents.substr(offset).starts_with("END     ")) {
        cards_ = contents.substr(0, offset);
        return;
      }
    throw cut_short(name_);
  }

  std::size_t bytes() const { return rounded_up(cards_.size() + card_bytes, block_bytes); }

  // Returns the card's text from the value on, with any comment after it; "" if the keyword is missing.
  std::string_view value(std::string keyword) const {
    keyword.resize(8, ' ');  // as wide as keywords are in a card
    for (std::size_t offset = 0; offset < cards_.size(); offset += card_bytes) {
      const std::string_view card = cards_.substr(offset, card_bytes);
      if (!card.starts_with(keyword + "= ")) continue;
      const std::size_t first = card.find_first_not_of(' ', keyword.size() + 1);
      return first == std::string_view::npos ? "" : card.substr(first);
    }
    return "";
  }

  // Returns the value as a count. Throws UnreadableFile if it is missing, negative or no number.
  std::int64_t count(const std::string& keyword) const {
    const std::string_view text = value(keyword);
    std::int64_t number = -1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (number < 0)
      throw UnreadableFile(name_.string(), "it is a damaged FITS file (its " + keyword +
                                               " is missing or not a count); copy or download it again");
    return number;
  }

 private:
  std::filesystem::path name_;
  std::string_view cards_;
};

// Returns how many bytes of data follow the header (section 4.4.1.2 of the standard): as a double, because
// the size in a damaged header could overflow an integer.
double data_bytes(const Header& header, bool is_extension) {
  const std::int64_t axes = header.count("NAXIS");
  double elements = axes == 0 ? 0 : 1;
  for (std::int64_t axis = 1; axis <= axes && elements > 0; ++axis)
    elements *= static_cast<double>(header.count("NAXIS" + std::to_string(axis)));
  if (is_extension) elements += static_cast<double>(header.count("PCOUNT"));
  std::string_view bitpix = header.value("BITPIX");
  if (bitpix.starts_with('-')) bitpix.remove_prefix(1);  // the sign says that pixels are floating-point
  int bits = 0;
  std::from_chars(bitpix.data(), bitpix.data() + bitpix.size(), bits);
  bits = std::max(bits, 0);  // a damaged "--8" would be negative; such an image is refused when read
  return elements * bits / 8;
}

}  // namespace

std::size_t find_fits_image(std::string_view contents, const std::filesystem::path& name) {
  for (std::size_t offset = 0; offset < contents.size();) {
    const std::string_view rest = contents.substr(offset);
    const bool is_extension = offset > 0;
    if (is_extension && !rest.starts_with("XTENSION=")) break;  // other records may follow
    const Header header(rest, name);
    const bool is_image = !is_extension || header.value("XTENSION").starts_with("'IMAGE");
    if (is_image && header.count("NAXIS") >= 2) return offset;
    if (header.value("ZIMAGE").starts_with('T'))
      throw UnreadableFile(name.string(), "its image is tile-compressed; unpack it first, with funpack");
    const double data = data_bytes(header, is_extension);
    // A damaged header may make the size NaN. Then this is false, too.
    const bool is_complete = static_cast<double>(header.bytes()) + data <= static_cast<double>(rest.size());
    if (!is_complete) throw cut_short(name);
    offset += header.bytes() + rounded_up(static_cast<std::size_t>(data), block_bytes);
  }
  throw UnreadableFile(name.string(),
                       "it holds no image with two axes, only tables or spectra; name another file");
}

namespace {

// An image's header and the data after it, opened with CFITSIO. The file is in memory because CFITSIO
// interprets file names, even in fits_open_diskfile: it expands ~, drops leading blanks, and opens x.gz when
// asked for x. CFITSIO always reads whole blocks, even past the end of the memory, so the last one is padded.
class FitsImage {
 public:
  FitsImage(std::string contents, std::size_t header_offset, const std::filesystem::path& name)
      : bytes_from_header_(contents.size() - header_offset), contents_(std::move(contents)), name_(name) {
    // Makes an extension look like a whole file: CFITSIO requires this beginning.
    constexpr std::string_view primary = "SIMPLE  =                    T";
    contents_.resize(rounded_up(contents_.size(), block_bytes));
    contents_.replace(header_offset, primary.size(), primary);
    memory_ = &contents_[header_offset];
    memory_size_ = contents_.size() - header_offset;
    int status = 0;
    fits_open_memfile(&handle_, "memory", READONLY, &memory_, &memory_size_, 0, nullptr, &status);
    require(status);
  }
  ~FitsImage() {
    int ignored = 0;
    if (handle_) fits_close_file(handle_, &ignored);
    fits_clear_errmsg();
  }
  FitsImage(const FitsImage&) = delete;
  FitsImage& operator=(const FitsImage&) = delete;

  fitsfile* handle() const { return handle_; }
  const std::filesystem::path& name() const { return name_; }

  void require(int status) const {
    if (status == 0) return;
    std::array<char, FLEN_ERRMSG> text{};
    fits_get_errstatus(status, text.data());
    throw UnreadableFile(name_.string(), "it is a damaged FITS file (CFITSIO: " + std::string(text.data()) +
                                             "); copy or download it again");
  }

  // Throws unless at least `bytes` bytes of data follow the header.
  void require_data(std::uint64_t bytes) const {
    LONGLONG header_begin = 0, data_begin = 0, data_end = 0;
    int status = 0;
    fits_get_hduaddrll(handle_, &header_begin, &data_begin, &data_end, &status);
    require(status);
    const auto begin = static_cast<std::uint64_t>(data_begin);
    if (begin > bytes_from_header_ || bytes > bytes_from_header_ - begin) throw cut_short(name_);
  }

 private:
  fitsfile* handle_ = nullptr;
  std::size_t bytes_from_header_;
  std::string contents_;
  std::filesystem::path name_;
  void* memory_ = nullptr;  // CFITSIO keeps the addresses of this member and the next
  std::size_t memory_size_ = 0;
};

std::vector<LONGLONG> axes_of(const FitsImage& file) {
  int axis_count = 0, status = 0;
  fits_get_img_dim(file.handle(), &axis_count, &status);
  file.require(status);
  std::vector<LONGLONG> lengths(static_cast<std::size_t>(axis_count));
  fits_get_img_sizell(file.handle(), axis_count, lengths.data(), &status);
  file.require(status);
  return lengths;
}

void require_plane(const FitsImage& file, const std::vector<LONGLONG>& axes) {
  if (axes.size() >= 2 &&
      std::ranges::all_of(axes.begin() + 2, axes.end(), [](LONGLONG length) { return length == 1; }))
    return;
  std::string size;
  for (const LONGLONG length : axes) size += (size.empty() ? "" : " x ") + std::to_string(length);
  throw UnreadableFile(
      file.name().string(),
      "its image has " + size + " pixels, which is not a plane; cut one plane out of it first");
}

int bitpix_of(const FitsImage& file) {
  int bitpix = 0, status = 0;
  fits_get_img_type(file.handle(), &bitpix, &status);
  file.require(status);
  return bitpix;
}

std::string name_of(int bitpix) {
  if (bitpix == BYTE_IMG) return "uint8";
  return (bitpix < 0 ? "float" : "int") + std::to_string(std::abs(bitpix));
}

// Returns BUNIT without unprintable characters.
std::string unit_of(const FitsImage& file) {
  std::array<char, FLEN_VALUE> text{};
  int status = 0;
  if (fits_read_key(file.handle(), TSTRING, "BUNIT", text.data(), nullptr, &status) != 0) return "";
  std::string unit = text.data();
  std::erase_if(unit, [](char c) { return c < ' ' || c > '~'; });
  return unit;
}

void read_pixels(const FitsImage& file, Image& image) {
  image.pixels.resize(image.width * image.height);
  float blank = std::numeric_limits<float>::quiet_NaN();
  int any_blank = 0, status = 0;
  fits_read_img(file.handle(), TFLOAT, 1, static_cast<LONGLONG>(image.pixels.size()), &blank,
                image.pixels.data(), &any_blank, &status);
  const bool overflows = status == NUM_OVERFLOW;  // in newer releases of CFITSIO; others store infinities
  if (!overflows) file.require(status);
  // CFITSIO reads the file's own infinities as blanks, so infinities here come from its conversion.
  if (overflows || std::ranges::any_of(image.pixels, [](float pixel) { return std::isinf(pixel); }))
    throw UnreadableFile(file.name().string(),
                         "some of its pixels are too large for float32; scale them down first");
  image.blanks = static_cast<std::size_t>(
      std::ranges::count_if(image.pixels, [](float pixel) { return std::isnan(pixel); }));
}

}  // namespace

Image read_fits(std::string contents, const std::filesystem::path& name) {
  const std::size_t header_offset = find_fits_image(contents, name);
  const FitsImage file(std::move(contents), header_offset, name);
  const std::vector<LONGLONG> axes = axes_of(file);
  require_plane(file, axes);
  Image image{.width = static_cast<std::size_t>(axes[0]),
              .height = static_cast<std::size_t>(axes[1]),
              .unit = unit_of(file),
              .file = name};
  require_possible_size(name, image.width, image.height);
  const int bitpix = bitpix_of(file);
  image.pixel_type = name_of(bitpix);
  file.require_data(image.width * image.height * static_cast<std::uint64_t>(std::abs(bitpix) / 8));
  read_pixels(file, image);
  return image;
}

namespace {

// The file's bytes for libpng's callbacks, and what the callbacks report: the file's end, an error's message.
struct Source {
  std::string_view unread;
  bool ran_out = false;
  std::array<char, 128> message{};
};

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& source = *static_cast<Source*>(png_get_io_ptr(png));
  source.ran_out = count > source.unread.size();
  if (source.ran_out) png_error(png, "end of file");
  std::memcpy(to, source.unread.data(), count);
  source.unread.remove_prefix(count);
}

[[noreturn]] void jump_back(png_structp png, png_const_charp message) {
  auto& source = *static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(source.message.data(), message, source.message.size() - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

// A file opened with libpng.
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
    throw UnreadableFile(name_.string(),
                         "it is a damaged PNG file (libpng: " + std::string(source_.message.data()) +
                             "); copy or download it again");
  }

 private:
  Source source_;
  std::filesystem::path name_;
  png_structp png_;
  png_infop info_;
};

// libpng reports errors with longjmp, which skips destructors. So these three functions own nothing, and
// return false after a jump.
bool read_header(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png))) return false;
  // Skip chunks that pixels do not need: libpng allocates as much as a damaged text chunk claims.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(png, info);
  return true;
}

// Converts to 8- or 16-bit samples, without palette or alpha.
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

// Returns whether a file of this size can hold the image, which deflate has compressed.
bool may_hold(std::size_t file_bytes, std::size_t image_bytes) {
  constexpr std::size_t max_expansion = 1032;  // bytes that deflate makes of one byte at most
  return image_bytes / max_expansion <= file_bytes;
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
  std::size_t bytes_per_sample;  // 1 or 2, most significant byte first
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
  const unsigned thousandths = 299 * samples[first] + 587 * samples[first + 1] + 114 * samples[first + 2];
  return static_cast<float>(thousandths) / (1000 * white);
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
