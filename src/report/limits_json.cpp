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

Json ceiling_json(const LimitResult& one) {
  const char* unit = one.traffic.limited_by_operations ? "operations_per_s" : "bytes_per_s";
  return {{"what", one.ceiling.what}, {unit, one.ceiling.per_s}};
}

Json reference_json(const LimitResult& one) {
  if (!one.reference) return nullptr;
  return {{"threads", one.reference->threads},
          {"timing", timing_json(one.reference->timing)},
          {"part_of_ceiling", value_or_null(one.reference_of_ceiling)}};
}

Json target_json(const LimitResult& one) {
  const auto number = [](double target) { return target > 0 ? Json(target) : Json(nullptr); };
  return {{"part_of_ceiling", number(one.asked.at_least)},
          {"times_yardstick", number(one.asked.at_least_times)},
          {"met", meets_target(one)}};
}

Json case_json(const LimitResult& one) {
  return {{"lesson", one.lesson},
          {"case", one.asked.label},
          {"problem", one.problem},
          {"bytes", one.traffic.bytes_read + one.traffic.bytes_written},
          {"operations", one.traffic.operations},
          {"rung", timed_json(one.rung)},
          {"yardstick", one.yardstick ? timed_json(*one.yardstick) : Json(nullptr)},
          {"times_yardstick", value_or_null(times_yardstick(one))},
          {"ceiling", ceiling_json(one)},
          {"part_of_ceiling", value_or_null(part_of_ceiling(one))},
          {"target", target_json(one)},
          {"reference", reference_json(one)}};
}

}  // namespace

std::string limits_json(const LimitsResult& result, const RunFacts& facts) {
  Json document = {{"schema", "gpulab.limits"},
                   {"schema_version", "3.0.0"},
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
