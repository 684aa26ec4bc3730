#include "run/run_options.hpp"

#include <unistd.h>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <random>
#include <thread>

#include "core/error.hpp"
#include "core/text.hpp"
#include "cuda/support.hpp"
#include "device/host.hpp"
#include "run/devices.hpp"

namespace gpulab::run {
namespace {

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string hostname() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

RunFacts run_facts(const std::vector<std::string>& typed) {
  return {.started_utc = now_utc(),
          .argv = typed,
          .hostname = hostname(),
          .cpu = device::cpu_name(),
          .cores = static_cast<int>(std::thread::hardware_concurrency()),
          .build = build_facts()};
}

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
      if (!variant.library.empty() && cuda::support().devices().empty()) continue;
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
  if (options.variant_order) {
    std::mt19937_64 random(*options.variant_order);
    std::ranges::shuffle(chosen, random);
  }
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
