#include "image/image.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>

#include "core/text.hpp"
#include "image/formats.hpp"

namespace gpulab::image {
namespace {

// Kernels index with int; a stride of one grid beyond the last pixel must not overflow either.
constexpr std::uint64_t max_pixels = (std::uint64_t{1} << 31) - (std::uint64_t{1} << 21);

}  // namespace

UsageError unreadable(const std::filesystem::path& file, const std::string& why) {
  return UsageError("cannot read " + file.string() + ": " + why);
}

UsageError cut_short(const std::filesystem::path& file) {
  return unreadable(file, "it is cut short, its data go on after its end; copy or download it again");
}

void require_possible_size(const std::filesystem::path& file, std::uint64_t width, std::uint64_t height) {
  const std::string size = grouped(width) + " x " + grouped(height) + " pixels";
  if (width == 0 || height == 0)
    throw unreadable(file, "its image is empty, " + size + "; name a file with an image in it");
  if (width > max_pixels / height)
    throw unreadable(file, "its image has " + size + ", and at most " + grouped(max_pixels) +
                               " are possible; cut out a part of it");
}

namespace {

namespace fs = std::filesystem;

void require_file(const fs::path& file) {
  std::error_code failed;
  const fs::file_status status = fs::status(file, failed);
  if (status.type() == fs::file_type::not_found)
    throw unreadable(file, "there is no such file; check its name and folder");
  if (failed) throw unreadable(file, failed.message() + "; check its name and permissions");
  if (fs::is_directory(status)) throw unreadable(file, "it is a folder; name a FITS or PNG file in it");
  if (!fs::is_regular_file(status))
    throw unreadable(file, "it is a pipe or a device; write its data to a file first");
}

std::string contents_of(const fs::path& file) {
  require_file(file);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw unreadable(file, std::string(std::strerror(errno)) + "; check its permissions");
  std::string contents(fs::file_size(file), '\0');
  stream.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  if (!stream) throw unreadable(file, "reading stopped before its end; copy it again");
  return contents;
}

Image parse(std::string contents, const fs::path& file) {
  if (contents.empty()) throw unreadable(file, "it is empty; copy or download it again");
  if (contents.starts_with("SIMPLE  =")) return read_fits(std::move(contents), file);
  if (contents.starts_with("\x89PNG\r\n\x1a\n")) return read_png(contents, file);
  if (contents.starts_with("\x1f\x8b"))
    throw unreadable(file, "it is compressed with gzip; unpack it first, with gunzip");
  throw unreadable(file, "it is neither FITS nor PNG; convert it to one of them");
}

}  // namespace

Image read_image(const fs::path& file) {
  try {
    return parse(contents_of(file), file);
  } catch (const std::bad_alloc&) {
    throw unreadable(file, "its image does not fit in this machine's memory; cut out a part of it");
  }
}

}  // namespace gpulab::image
