#include "report/documents.hpp"
#include "report/figures.hpp"
#include "report/json_values.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

Json differences_json(const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const auto& [index, expected, actual, inputs, is_poison] : differences)
    list.push_back({{"index", index}, {"expected", expected}, {"actual", actual}});
  return list;
}

Json figures_json(const std::vector<Figure>& figures) {
  Json list = Json::array();
  for (const auto& [name, value, unit] : figures)
    list.push_back({{"name", name}, {"value", value}, {"unit", text_or_null(unit)}});
  return list;
}

Json timeline_json(const Timeline& timeline) {
  Json list = Json::array();
  for (const Span& span : timeline)
    list.push_back({{"stream", span.stream},
                    {"kind", identifier(span.kind)},
                    {"what", span.what},
                    {"start_s", span.start_s},
                    {"end_s", span.end_s},
                    {"bytes", span.bytes}});
  return list;
}

Json records_json(const std::optional<Records>& records) {
  if (!records) return nullptr;
  return {{"columns", records->columns}, {"units", records->units}, {"rows", records->rows}};
}

Json derived_json(const LessonResult& result, const VariantResult& variant) {
  const auto kernel_s = problem_median_s(result, variant);
  const auto bytes_per_s = effective_bytes_per_s(result.traffic, kernel_s);
  const auto whole_s = with_copies_s(result, kernel_s);
  Json speed_ups = Json::array();
  for (const ReferenceResult& reference : result.references)
    speed_ups.push_back({{"reference", reference.name},
                         {"threads", reference.threads},
                         {"kernel", value_or_null(speed_up(reference, kernel_s))},
                         {"with_copies", value_or_null(speed_up(reference, whole_s))}});
  return {{"effective_bytes_per_s", value_or_null(bytes_per_s)},
          {"operations_per_s", value_or_null(operations_per_s(result.traffic, kernel_s))},
          {"fraction_of_peak", value_or_null(fraction_of_peak(result, variant, kernel_s))},
          {"with_copies_s", value_or_null(whole_s)},
          {"speedups", speed_ups}};
}

Json ranks_json(const std::vector<RankResult>& ranks) {
  Json all = Json::array();
  for (const auto& [rank, device, node, part, observed, explanation, median_s] : ranks)
    all.push_back({{"rank", rank},
                   {"device", device},
                   {"node", text_or_null(node)},
                   {"part", part},
                   {"observed", identifier(observed)},
                   {"explanation", text_or_null(explanation)},
                   {"median_s", value_or_null(median_s)}});
  return all;
}

Json variant_json(const LessonResult& result, const VariantResult& variant) {
  const Timing cold = variant.kernel_cold.value_or(Timing{});
  return {{"name", variant.name},
          {"kernel", variant.kernel},
          {"expected", identifier(variant.expected)},
          {"observed", identifier(variant.observed)},
          {"as_expected", variant.as_expected()},
          {"size", variant.size},
          {"launch", launch_json(variant.launch)},
          {"explanation", text_or_null(variant.explanation)},
          {"wrong_elements", variant.wrong_elements},
          {"first_differences", differences_json(variant.first_differences)},
          {"timings", {{"kernel_cold", timing_json(cold)}}},
          {"simulation_s", value_or_null(variant.simulation_s)},
          {"ranks", ranks_json(variant.ranks)},
          {"computes_all", variant.computes_all},
          {"launches", variant.launches},
          {"figures", figures_json(variant.findings.figures)},
          {"timeline", timeline_json(variant.timeline)},
          {"derived", derived_json(result, variant)},
          {"notes", variant.notes},
          {"warnings", variant.warnings},
          {"compiler_log", text_or_null(variant.compiler_log)}};
}

Json reference_json(const LessonResult& result, const ReferenceResult& reference) {
  const auto bytes_per_s = effective_bytes_per_s(result.traffic, reference_median_s(reference));
  return {{"name", reference.name},
          {"threads", reference.threads},
          {"observed", identifier(reference.observed)},
          {"explanation", text_or_null(reference.explanation)},
          {"timing", timing_json(reference.timing)},
          {"effective_bytes_per_s", value_or_null(bytes_per_s)}};
}

Json claim_json(const ClaimResult& result) {
  return {{"kind", identifier(result.claim.kind)},
          {"text", claim_text(result.claim)},
          {"better", result.claim.better},
          {"worse", result.claim.worse},
          {"figure", text_or_null(result.claim.figure)},
          {"min_ratio", result.claim.ratio},
          {"measured_ratio", value_or_null(result.ratio)},
          {"verdict", identifier(result.verdict)}};
}

Json transfers_json(const std::optional<TransferResult>& transfers) {
  if (!transfers) return nullptr;
  return {{"bytes_to_device", transfers->bytes_to_device},
          {"bytes_to_host", transfers->bytes_to_host},
          {"to_device", timing_json(transfers->to_device)},
          {"to_host", timing_json(transfers->to_host)}};
}

Json lesson_facts_json(const LessonResult& result) {
  return {{"name", result.lesson},
          {"title", result.title},
          {"problem", result.problem},
          {"size", result.size},
          {"seed", result.seed},
          {"options", options_json(result.options)},
          {"tolerance", {{"relative", result.tolerance.relative}, {"absolute", result.tolerance.absolute}}},
          {"traffic",
           {{"bytes_read", result.traffic.bytes_read},
            {"bytes_written", result.traffic.bytes_written},
            {"operations", result.traffic.operations}}}};
}

Json used_device_json(const LessonResult& result, const RunFacts& facts) {
  Json device = device_json(result.device);
  device["fallback"] = text_or_null(facts.fallback);
  return device;
}

Json document_of(const LessonResult& result, const RunFacts& facts) {
  Json document = {{"schema", "gpulab.run"},
                   {"schema_version", "3.2.0"},
                   {"tool", tool_json(facts.build)},
                   {"run", run_json(facts)},
                   {"host", host_json(facts)},
                   {"device", used_device_json(result, facts)},
                   {"lesson", lesson_facts_json(result)},
                   {"references", Json::array()},
                   {"variants", Json::array()},
                   {"claims", Json::array()},
                   {"transfers", transfers_json(result.transfers)},
                   {"records", records_json(result.records)},
                   {"remarks", result.remarks},
                   {"exit_code", static_cast<int>(exit_code_of(result))}};
  for (const ReferenceResult& reference : result.references)
    document["references"].push_back(reference_json(result, reference));
  for (const VariantResult& variant : result.variants)
    document["variants"].push_back(variant_json(result, variant));
  for (const ClaimResult& claim : result.claims) document["claims"].push_back(claim_json(claim));
  return document;
}

}  // namespace

std::string lesson_json(const LessonResult& result, const RunFacts& facts) {
  return document_text(document_of(result, facts));
}

std::string lessons_json(const std::vector<LessonResult>& results, const RunFacts& facts) {
  Json documents = Json::array();
  for (const LessonResult& result : results) documents.push_back(document_of(result, facts));
  return document_text(documents);
}

}  // namespace gpulab::report
