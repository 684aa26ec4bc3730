#include "cli/variant_failures.hpp"

#include <fmt/format.h>

#include <set>

namespace gpulab {
namespace {

bool stopped_early(const VariantResult& variant) {
  return !ran_to_its_end(variant.observed) && variant.observed != Outcome::not_run;
}

}  // namespace

std::string failures_text(const std::string& lesson, const std::vector<VariantResult>& variants) {
  std::string text;
  std::set<std::string> told;  // several variants may share a file that does not compile
  for (const VariantResult& variant : variants)
    if (!variant.as_expected() && stopped_early(variant) && told.insert(variant.explanation).second)
      text += fmt::format("gpulab: {}, variant {}: {}\n", lesson, variant.name, variant.explanation);
  return text;
}

}  // namespace gpulab
