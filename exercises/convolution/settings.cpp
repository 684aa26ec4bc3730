#include "convolution/settings.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "image/image.hpp"
#include "lesson/launch.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::lessons::convolution {
namespace {

// At this width constant memory holds the filter, and 64 KiB of shared memory hold any kernel's tile with its
// halo.
constexpr std::size_t max_filter_width = 63;

constexpr std::uintmax_t largest_filter_file = 1 << 20;

Filter read_filter(const std::filesystem::path& file) {
  const std::string advice = ": name a text file with rows of numbers";
  std::error_code failed;
  const bool is_file = std::filesystem::is_regular_file(file, failed);
  if (is_file && std::filesystem::file_size(file, failed) > largest_filter_file)
    throw UsageError(file.string() + " is larger than 1 MiB, too large for a filter" + advice);
  std::ifstream stream(file);
  if (!is_file || !stream) throw UsageError("cannot read the filter " + file.string() + advice);
  std::ostringstream text;
  text << stream.rdbuf();
  Filter filter = parse_filter(text.str(), file.string());
  if (std::max(filter.width, filter.height) > max_filter_width)
    throw UsageError("the filter in " + file.string() + " is " + grouped(filter.width) + " x " +
                     grouped(filter.height) + ", and the kernels have room for 63 x 63");
  return filter;
}

Filter filter_of(const Settings& settings) {
  if (const auto file = settings.file("filter-file")) return read_filter(*file);
  const std::size_t width = settings.count("filter-width");
  const std::string& filter = settings.word("filter");
  return filter == "box"      ? box_filter(width)
         : filter == "ramp"   ? ramp_filter(width)
         : filter == "oblong" ? oblong_filter(width)
                              : gaussian_filter(width);
}

Border border_of(const Settings& settings) {
  const std::string& border = settings.word("border");
  return border == "zero" ? Border::zero : border == "clamp" ? Border::clamp : Border::mirror;
}

void require_countable(const Frame& frame, const std::string& image) {
  if (frame.height > max_grid_y)
    throw UsageError(image + " has " + grouped(frame.height) + " rows, more than the " + grouped(max_grid_y) +
                     " blocks that a grid can have one below the other: choose a smaller height");
  if (frame.width > largest_int_index / frame.height)
    throw UsageError(
        image + " has more than " + grouped(largest_int_index) +
        " pixels, the most that kernels can index with an int: choose a smaller width or height");
}

void require_finite(const std::vector<float>& pixels, const std::string& image) {
  const auto is_not_finite = [](float value) { return !std::isfinite(value); };
  const auto missing = static_cast<std::uint64_t>(std::ranges::count_if(pixels, is_not_finite));
  if (missing > 0)
    throw UsageError(
        image + " has " + grouped(missing) +
        " pixels without a finite value, which a convolution would spread: fill them in, or cut out a part without them");
}

}  // namespace

std::vector<Option> options() {
  return {{.name = "width",
           .help = "columns of the generated image",
           .kind = Count{.default_value = 2048, .max = largest_int_index}},
          {.name = "height",
           .help = "rows of the generated image",
           .kind = Count{.default_value = 2048, .max = max_grid_y}},
          {.name = "image",
           .help = "the image: the course's grid of single bright pixels, or noise",
           .kind = Choice{{"diracs", "random"}}},
          {.name = "input", .help = "a FITS or PNG file to convolve instead", .kind = InputFile{}},
          {.name = "filter",
           .help = "the filter; ramp and oblong, which has two rows fewer, show whether it is flipped",
           .kind = Choice{{"gaussian", "box", "ramp", "oblong"}}},
          {.name = "filter-width",
           .help = "columns of the filter, an odd number",
           .kind = Count{.default_value = 15, .max = max_filter_width}},
          {.name = "filter-file",
           .help = "a text file with rows of numbers, to use as a filter instead",
           .kind = InputFile{}},
          {.name = "border",
           .help = "what is beyond the image: nothing, its edge pixels, or its mirror image",
           .kind = Choice{{"zero", "clamp", "mirror"}}},
          {.name = "save",
           .help = "write the result to this PNG file, its first row topmost",
           .kind = OutputFile{".png"}}};
}

void fill_dirac_grid(std::span<float> image, std::size_t width) {
  for (std::size_t i = 0; i < image.size(); ++i)
    image[i] = i / width % 16 == 8 && i % width % 16 == 8 ? 1.0f : 0.0f;
}

std::shared_ptr<const ConvolutionSettings> read_settings(const Settings& settings) {
  ConvolutionSettings asked{.frame = {settings.count("width"), settings.count("height")},
                            .image = settings.word("image"),
                            .filter = filter_of(settings),
                            .border = border_of(settings)};
  asked.separated = separate(asked.filter);
  if (const auto file = settings.file("input")) {
    image::Image image = image::read_image(*file);
    require_finite(image.pixels, file->string());
    asked.frame = {image.width, image.height};
    asked.image = file->filename().string();
    asked.pixels = std::move(image.pixels);
  }
  if (settings.file("save")) image::require_picture_size(asked.frame.width, asked.frame.height);
  require_countable(asked.frame, asked.pixels.empty() ? "the image" : asked.image);
  return std::make_shared<const ConvolutionSettings>(std::move(asked));
}

}  // namespace gpulab::lessons::convolution
