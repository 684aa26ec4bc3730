#include "run/run_options.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/number_text.hpp"
#include "run/cuda_support.hpp"

namespace gpulab::run {
namespace {

std::string allowed_text(const BlockSizes& block) {
  if (block.multiple_of == block.max) return std::to_string(block.max) + " threads";
  const std::string multiple =
      block.multiple_of > 1 ? "a multiple of " + std::to_string(block.multiple_of) + ", " : "";
  const std::string power = block.power_of_two ? "a power of two, " : "";
  return multiple + power + "at most " + std::to_string(block.max) + " threads";
}

void check_block_size(const Variant& variant, unsigned block_size) {
  if (variant.block.allows(block_size)) return;
  throw UsageError("variant '" + variant.name + "' takes blocks of " + allowed_text(variant.block) +
                   ", not " + std::to_string(block_size) +
                   "; change --block-size, or name the variants to run with --variant");
}

}  // namespace

const Variant& find_variant(const Lesson& lesson, const std::string& name) {
  std::vector<std::string> names;
  std::string all;
  for (const auto* ladder : {&lesson.variants, &lesson.yardsticks})
    for (const Variant& variant : *ladder) {
      if (variant.name == name) return variant;
      // A library is only called on a GPU.
      if (!variant.library.empty() && cuda_support().devices().empty()) continue;
      names.push_back(variant.name);
      all += (all.empty() ? "" : ", ") + variant.name;
    }
  throw UsageError(lesson.name + " has no variant '" + name + "'; " +
                   suggestion(name, names, "it has " + all));
}

std::vector<Variant> chosen_variants(const Lesson& lesson, const RunOptions& options) {
  std::vector<Variant> chosen;
  for (const auto* ladder : {&lesson.variants, &lesson.yardsticks})
    for (const Variant& variant : *ladder)
      if (options.variants.empty() ||
          std::ranges::find(options.variants, variant.name) != options.variants.end())
        chosen.push_back(variant);
  return chosen;
}

void check_options(const Lesson& lesson, const RunOptions& options) {
  for (const std::string& name : options.variants) find_variant(lesson, name);
  if (lesson.has_size() && options.settings.size == 0)
    throw UsageError("--size 0 leaves " + lesson.name + " nothing to do");
  if (options.settings.size > lesson.largest_size)
    throw UsageError("--size " + grouped(options.settings.size) + " is more than " +
                     grouped(lesson.largest_size) + ", the largest that " + lesson.name + " takes");
  if (options.block_size)
    for (const Variant& variant : chosen_variants(lesson, options))
      check_block_size(variant, *options.block_size);
}

}  // namespace gpulab::run
