#include <nlohmann/json.hpp>
#include <stdexcept>

#include "check/check_formats.hpp"
#include "check/checks.hpp"
#include "lesson/json_fields.hpp"
#include "run/inspection_json.hpp"

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

namespace gpulab::check {
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
}  // namespace gpulab::check

namespace gpulab {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckResult, exercise, file, verdict, pattern, hint, summary, fact,
                                   details, where, first_differences, size, block_size, schedule, line,
                                   column, source, related, compiler_log, printed, tried_with, notes, seconds)

}  // namespace gpulab

namespace gpulab::check {

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

namespace {

Json place_json(const ProgramResult& result, const SourcePlace& place) {
  return {{"file", place.file.empty() ? result.file : place.file},
          {"line", known_or_null(place.line)},
          {"source", text_or_null(place.source)}};
}

Json finding_json(const ProgramResult& result, const ProgramFinding& finding) {
  Json related = Json::array();
  for (const ProgramFinding::Other& other : finding.others) {
    Json one = place_json(result, other.place);
    one["text"] = other.text;
    related.push_back(one);
  }
  Json json = {{"pattern", finding.pattern}, {"kind", finding.is_note ? "note" : "defect"}};
  json.update(place_json(result, finding.place));
  json["text"] = finding.text;
  json["instead"] = text_or_null(finding.instead);
  json["related"] = related;
  json["count"] = finding.count;
  return json;
}

Json kernel_json(const ProgramResult& result, const KernelCounts& counts) {
  const VariantInspection inspection = as_inspection(result, counts);
  return {{"name", counts.kernel},
          {"launches", counts.launches},
          {"lines", run::lines_with_accesses_json(inspection)},
          {"worst", run::worst_json(inspection)}};
}

Json timeline_json(const std::vector<TimelineEntry>& timeline) {
  Json list = Json::array();
  for (const TimelineEntry& entry : timeline)
    list.push_back({{"name", entry.name},
                    {"stream", entry.stream >= 0 ? Json(entry.stream) : Json(nullptr)},
                    {"line", known_or_null(entry.place.line)},
                    {"start_s", entry.start_s},
                    {"end_s", entry.end_s},
                    {"bytes", known_or_null(entry.bytes)}});
  return list;
}

constexpr const char* words[] = {"nothing", "defects", "accesses"};

}  // namespace

std::string program_json(const ProgramResult& result) {
  Json document = {
      {"schema", "gpulab.program"},    {"schema_version", "1.0.0"},
      {"file", result.file},           {"watched", words[static_cast<int>(result.watch)]},
      {"status", result.status},       {"signal", result.signal ? Json(result.signal) : Json(nullptr)},
      {"reported", result.has_report}, {"launches", result.report.launches},
      {"calls", result.report.calls},  {"findings", Json::array()},
      {"kernels", Json::array()},      {"timeline", timeline_json(result.report.timeline)},
      {"seconds", result.seconds},     {"exit_code", result.exit_code()}};
  for (const ProgramFinding& finding : result.report.findings)
    document["findings"].push_back(finding_json(result, finding));
  for (const KernelCounts& counts : result.report.counts)
    document["kernels"].push_back(kernel_json(result, counts));
  return document_text(document);
}

}  // namespace gpulab::check
