#include "report/json_values.hpp"
#include "report/limits.hpp"
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

Json library_json(const std::optional<ReferenceResult>& library) {
  if (!library) return nullptr;
  const bool is_right = library->observed == Outcome::right;
  return {{"name", library->name},
          {"observed", identifier(library->observed)},
          {"threads", library->threads},
          {"timing", is_right ? timing_json(library->timing) : Json(nullptr)}};
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
          {"reference", reference_json(one)},
          {"host_library", library_json(one.host_library)}};
}

Json simulated_json(const SimulationResult& one) {
  const auto timed = [](const VariantResult& variant) -> Json {
    return {{"observed", identifier(variant.observed)},
            {"explanation", text_or_null(variant.explanation)},
            {"timing", variant.launch_wall ? timing_json(*variant.launch_wall) : Json(nullptr)}};
  };
  return {{"lesson", one.lesson},
          {"case", one.asked.label},
          {"problem", one.problem},
          {"variant", one.on_all_cores.name},
          {"launched_threads", threads_of(one.on_all_cores)},
          {"one_core", timed(one.on_one_core)},
          {"all_cores", timed(one.on_all_cores)},
          {"gain_of_all_cores", value_or_null(gain_of_all_cores(one))},
          {"host_library", library_json(one.host_library)},
          {"times_library", value_or_null(times_library(one))}};
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
                   {"simulated", Json::array()},
                   {"remarks", result.remarks},
                   {"exit_code", static_cast<int>(exit_code_of(result))}};
  for (const LimitResult& one : result.cases) document["cases"].push_back(case_json(one));
  for (const SimulationResult& one : result.simulated) document["simulated"].push_back(simulated_json(one));
  return document_text(document);
}

}  // namespace gpulab::report
