#include <fitsio.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "image/formats.hpp"

namespace gpulab::image {
namespace {

// The header of an image and what follows it, in CFITSIO's terms. The file is in memory, since CFITSIO has
// its own ideas of file names, even in fits_open_diskfile: it expands a ~, drops leading blanks, and opens
// x.gz when asked for x. It always reads whole blocks, also beyond the end of the memory, so the last is
// filled up.
class FitsImage {
 public:
  FitsImage(std::string contents, std::size_t header, const std::filesystem::path& name)
      : bytes_from_header_(contents.size() - header), contents_(std::move(contents)), name_(name) {
    constexpr std::size_t block = 2880;
    // An extension becomes the whole file; CFITSIO wants a file to begin like this.
    constexpr std::string_view primary = "SIMPLE  =                    T";
    contents_.resize((contents_.size() + block - 1) / block * block);
    contents_.replace(header, primary.size(), primary);
    memory_ = &contents_[header];
    memory_size_ = contents_.size() - header;
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
    throw unreadable(name_, "it is a damaged FITS file (CFITSIO: " + std::string(text.data()) +
                                "); copy or download it again");
  }

  // Throws unless so many bytes of data follow the header.
  void require_data(std::uint64_t bytes) const {
    LONGLONG header = 0, data = 0, end = 0;
    int status = 0;
    fits_get_hduaddrll(handle_, &header, &data, &end, &status);
    require(status);
    const auto begin = static_cast<std::uint64_t>(data);
    if (begin > bytes_from_header_ || bytes > bytes_from_header_ - begin) throw cut_short(name_);
  }

 private:
  fitsfile* handle_ = nullptr;
  std::size_t bytes_from_header_;
  std::string contents_;
  std::filesystem::path name_;
  void* memory_ = nullptr;  // CFITSIO keeps the addresses of these two
  std::size_t memory_size_ = 0;
};

std::vector<LONGLONG> axes_of(const FitsImage& file) {
  int axes = 0, status = 0;
  fits_get_img_dim(file.handle(), &axes, &status);
  file.require(status);
  std::vector<LONGLONG> lengths(static_cast<std::size_t>(axes));
  fits_get_img_sizell(file.handle(), axes, lengths.data(), &status);
  file.require(status);
  return lengths;
}

void require_plane(const FitsImage& file, const std::vector<LONGLONG>& axes) {
  if (axes.size() >= 2 &&
      std::ranges::all_of(axes.begin() + 2, axes.end(), [](LONGLONG length) { return length == 1; }))
    return;
  std::string size;
  for (const LONGLONG length : axes) size += (size.empty() ? "" : " x ") + std::to_string(length);
  throw unreadable(file.name(),
                   "its image is no plane, it has " + size + " pixels; cut one plane out of it first");
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

// BUNIT, without what would not print.
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
  const bool overflows = status == NUM_OVERFLOW;  // so say newer releases of CFITSIO; others store infinities
  if (!overflows) file.require(status);
  // CFITSIO has taken infinities of the file for blanks; these come from its conversion.
  if (overflows || std::ranges::any_of(image.pixels, [](float pixel) { return std::isinf(pixel); }))
    throw unreadable(file.name(), "some of its pixels are too large for float32; scale them down first");
  image.blanks = static_cast<std::size_t>(
      std::ranges::count_if(image.pixels, [](float pixel) { return std::isnan(pixel); }));
}

}  // namespace

Image read_fits(std::string contents, const std::filesystem::path& name) {
  const std::size_t header = find_fits_image(contents, name);
  const FitsImage file(std::move(contents), header, name);
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

}  // namespace gpulab::image
