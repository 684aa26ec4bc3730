#include <nlohmann/json.hpp>
#include <stdexcept>

#include "learn/checks.hpp"

// What a check in a child process tells its parent: the members below, as CBOR, which keeps infinities, NaN
// and bytes that are not UTF-8.

// The library looks for these where the types are.
namespace gpulab {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TriedWith, size, seed, options, edge_inputs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InputValue, array, index, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Difference, index, expected, actual, inputs, is_poison)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Interval, low, high)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckPlace, line, column, source, pattern, text)

static void to_json(nlohmann::json& json, const std::optional<TriedWith>& tried_with) {
  json = tried_with ? nlohmann::json(*tried_with) : nlohmann::json();
}
static void from_json(const nlohmann::json& json, std::optional<TriedWith>& tried_with) {
  if (!json.is_null()) tried_with = json.get<TriedWith>();
}

}  // namespace gpulab

namespace gpulab::learn {
namespace {

using Json = nlohmann::json;

// Of a variant's timing only the median and its interval are told.
struct PackedVariant {
  std::string name, explanation;
  Outcome observed = Outcome::right;
  double median_s = 0;  // 0 where no time was taken
  Interval confidence_s;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PackedVariant, name, explanation, observed, median_s, confidence_s)

PackedVariant packed_variant(const VariantResult& result) {
  PackedVariant variant{result.name, result.explanation, result.observed, 0, {}};
  if (!result.kernel_cold) return variant;
  variant.median_s = result.kernel_cold->median_s;
  variant.confidence_s = result.kernel_cold->confidence_s.value_or(Interval{});
  return variant;
}

VariantResult unpacked_variant(const PackedVariant& variant) {
  VariantResult result{.name = variant.name, .observed = variant.observed};
  result.explanation = variant.explanation;
  if (variant.median_s > 0)
    result.kernel_cold = Timing{
        .samples_s = {variant.median_s}, .median_s = variant.median_s, .confidence_s = variant.confidence_s};
  return result;
}

std::string bytes_of(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

// A number that is no value of its enumeration has no name.
template <class E>
void require_named(E value, E last) {
  if (value < E{} || value > last) throw std::runtime_error("the result of a check makes no sense");
}

template <class T>
T read(const std::string& bytes) try {
  return Json::from_cbor(bytes).get<T>();
} catch (const Json::exception&) {
  throw std::runtime_error("the result of a check was cut short");
}

}  // namespace
}  // namespace gpulab::learn

namespace gpulab {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckResult, exercise, file, verdict, pattern, hint, summary, details,
                                   where, first_differences, size, block_size, schedule, line, column, source,
                                   related, compiler_log, printed, tried_with, notes, seconds)

}  // namespace gpulab

namespace gpulab::learn {

std::string packed(const CheckResult& result) {
  return bytes_of(result);
}

CheckResult unpacked(const std::string& bytes) {
  auto result = read<CheckResult>(bytes);
  require_named(result.verdict, Verdict::not_checked);
  return result;
}

std::string packed(const std::vector<VariantResult>& variants) {
  std::vector<PackedVariant> list;
  for (const VariantResult& variant : variants) list.push_back(packed_variant(variant));
  return bytes_of(list);
}

std::vector<VariantResult> unpacked_variants(const std::string& bytes) {
  std::vector<VariantResult> variants;
  for (const PackedVariant& variant : read<std::vector<PackedVariant>>(bytes)) {
    require_named(variant.observed, Outcome::not_run);
    variants.push_back(unpacked_variant(variant));
  }
  return variants;
}

}  // namespace gpulab::learn
