#include "report/documents.hpp"
#include "report/json_values.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

Json timed_json(const VariantResult& variant) {
  const auto timing = [](const std::optional<Timing>& taken) {
    return taken ? timing_json(*taken) : Json(nullptr);
  };
  return {{"name", variant.name},
          {"observed", identifier(variant.observed)},
          {"explanation", text_or_null(variant.explanation)},
          {"kernel_cold", timing(variant.kernel_cold)},
          {"kernel_steady", timing(variant.kernel_steady)},
          {"sm_clock_hz", value_or_null(variant.clock_hz)}};
}

Json target_json(const TargetResult& result) {
  return {{"kind", identifier(result.target.kind)},
          {"rung", text_or_null(result.target.rung)},
          {"at_least", result.target.at_least},
          {"reached", value_or_null(result.reached)},
          {"met", result.met()}};
}

Json ceiling_json(const std::optional<Ceiling>& ceiling, const Traffic& traffic) {
  if (!ceiling) return nullptr;
  const char* unit = traffic.limited_by_operations ? "operations_per_s" : "bytes_per_s";
  return {{"what", ceiling->what}, {unit, ceiling->per_s}};
}

Json reference_json(const LimitResult& one) {
  if (!one.reference) return nullptr;
  return {{"threads", one.reference->threads},
          {"timing", timing_json(one.reference->timing)},
          {"part_of_ceiling", value_or_null(one.reference_of_ceiling)}};
}

Json case_json(const LimitResult& one) {
  Json others = Json::array(), targets = Json::array();
  for (const VariantResult& other : one.others) others.push_back(timed_json(other));
  for (const TargetResult& target : one.targets) targets.push_back(target_json(target));
  return {{"lesson", one.lesson},
          {"case", one.asked.label},
          {"problem", one.problem},
          {"bytes", one.traffic.bytes_read + one.traffic.bytes_written},
          {"operations", one.traffic.operations},
          {"rung", timed_json(one.rung)},
          {"yardstick", one.yardstick ? timed_json(*one.yardstick) : Json(nullptr)},
          {"others", others},
          {"ceiling", ceiling_json(one.ceiling, one.traffic)},
          {"part_of_ceiling", value_or_null(part_of(one.ceiling, one.traffic, cold_s(one.rung)))},
          {"reference", reference_json(one)},
          {"targets", targets}};
}

}  // namespace

std::string limits_json(const LimitsResult& result, const RunFacts& facts) {
  Json document = {{"schema", "gpulab.limits"},
                   {"schema_version", "1.0.0"},
                   {"tool", tool_json(facts.build)},
                   {"run", run_json(facts)},
                   {"host", host_json(facts)},
                   {"device", device_json(result.device)},
                   {"seed", result.seed},
                   {"cases", Json::array()},
                   {"remarks", result.remarks},
                   {"exit_code", static_cast<int>(exit_code_of(result))}};
  for (const LimitResult& one : result.cases) document["cases"].push_back(case_json(one));
  return document_text(document);
}

}  // namespace gpulab::report
