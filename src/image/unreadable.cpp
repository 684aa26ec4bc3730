#include "image/unreadable.hpp"

#include "core/number_text.hpp"

namespace gpulab {
namespace {

// Kernels index with int; a stride of one grid beyond the last pixel must not overflow either.
constexpr std::uint64_t most_pixels = (std::uint64_t{1} << 31) - (std::uint64_t{1} << 21);

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
  if (width > most_pixels / height)
    throw unreadable(file, "its image has " + size + ", and at most " + grouped(most_pixels) +
                               " are possible; cut out a part of it");
}

}  // namespace gpulab
