#include "run/run_options.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/number_text.hpp"

namespace gpulab {
namespace {

void check_block_size(const Variant& variant, unsigned block_size) {
  if (block_size > 0 && block_size <= variant.block.most && block_size % variant.block.multiple_of == 0)
    return;
  const std::string multiple = variant.block.multiple_of > 1
                                   ? "a multiple of " + std::to_string(variant.block.multiple_of) + ", "
                                   : "";
  throw UsageError("variant '" + variant.name + "' takes blocks of " + multiple + "at most " +
                   std::to_string(variant.block.most) + " threads, not " + std::to_string(block_size) +
                   "; leave it out with --variant, or change --block-size");
}

}  // namespace

const Variant& find_variant(const Lesson& lesson, const std::string& name) {
  std::vector<std::string> names;
  std::string all;
  for (const Variant& variant : lesson.variants) {
    if (variant.name == name) return variant;
    names.push_back(variant.name);
    all += (all.empty() ? "" : ", ") + variant.name;
  }
  throw UsageError(lesson.name + " has no variant '" + name + "'; " +
                   suggestion(name, names, "it has " + all));
}

std::vector<Variant> chosen_variants(const Lesson& lesson, const RunOptions& options) {
  std::vector<Variant> chosen;
  for (const Variant& variant : lesson.variants)
    if (options.variants.empty() ||
        std::ranges::find(options.variants, variant.name) != options.variants.end())
      chosen.push_back(variant);
  return chosen;
}

void check_options(const Lesson& lesson, const RunOptions& options) {
  for (const std::string& name : options.variants) find_variant(lesson, name);
  if (options.settings.size == 0) throw UsageError("--size 0 leaves " + lesson.name + " nothing to do");
  if (options.settings.size > lesson.largest_size)
    throw UsageError("--size " + grouped(options.settings.size) + " is more than " +
                     grouped(lesson.largest_size) + ", the most that the int index of " + lesson.name +
                     "'s kernels can hold");
  if (options.block_size)
    for (const Variant& variant : chosen_variants(lesson, options))
      check_block_size(variant, *options.block_size);
}

}  // namespace gpulab
