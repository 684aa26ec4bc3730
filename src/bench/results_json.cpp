#include "base/text.hpp"
#include "bench/compare.hpp"
#include "bench/crossover.hpp"
#include "bench/limits.hpp"
#include "bench/result.hpp"
#include "lesson/json_fields.hpp"
#include "lesson/words.hpp"

namespace gpulab::bench {
namespace {

Json source_json(const BenchResult& result) {
  return {{"tool", tool_json(result.facts.build)},
          {"run", run_json(result.facts)},
          {"host", host_json(result.facts)},
          {"device", device_json(result.device, {"kind", "name", "driver", "compiler_version"})},
          {"complete", result.complete()}};
}

}  // namespace

template <class Archive>
void fields(Archive& archive, MaybeConst<Change> auto& change) {
  const bool is_of_figure = !change.figure.empty();
  archive.derived("id", [&] { return id_of(change.what); });
  archive("lesson", change.what.lesson);
  archive("variant", change.what.variant);
  setting_fields(archive, change.what);
  archive.known("figure", change.figure);
  archive.derived("unit", [&] { return is_of_figure ? std::optional(name_of(change.unit)) : std::nullopt; });
  archive.derived("verdict", [&] { return name_of(change.kind); });
  archive.known("before", change.before);
  archive.known("now", change.now);
  archive.known("ratio", change.ratio);
  range_fields(archive, "ratio_low", "ratio_high", change.ratio_range);
  archive.known("reason", change.reason);
}

namespace {

Json side_json(const std::vector<BenchResult>& results, std::size_t processes) {
  return {{"processes", processes}, {"documents", list_json(results, source_json)}};
}

Json counts_json(const Comparison& comparison) {
  Json counts = Json::object();
  for (const ChangeKind kind : all_change_kinds) counts[std::string(name_of(kind))] = comparison.count(kind);
  return counts;
}

}  // namespace

std::string comparison_json(const Comparison& comparison, const RunFacts& facts) {
  return document_text({{"schema", "gpulab.compare"},
                        {"schema_version", "1.3.0"},
                        {"tool", tool_json(facts.build)},
                        {"run", run_json(facts)},
                        {"rules",
                         {{"threshold", comparison.rules.threshold},
                          {"min_difference_s", value_or_null(comparison.rules.min_difference_s)},
                          {"strict", comparison.rules.is_strict},
                          {"may_grow", comparison.rules.may_grow}}},
                        {"before", side_json(comparison.before, comparison.processes_before)},
                        {"now", side_json(comparison.now, comparison.processes_now)},
                        {"verdicts", counts_json(comparison)},
                        {"changes", json_of(comparison.changes)},
                        {"remarks", comparison.remarks},
                        {"fails_by_strict", text_or_null(strict_failure_text(comparison))},
                        {"exit_code", static_cast<int>(exit_code_of(comparison))}});
}

namespace {

Json crossing_json(const Crossing& crossing) {
  static constexpr Named<Crossing::Kind> words[] = {{Crossing::Kind::always, "always"},
                                                    {Crossing::Kind::from, "from"},
                                                    {Crossing::Kind::never, "never"},
                                                    {Crossing::Kind::not_measured, ""}};
  static_assert(names_every(words, Crossing::Kind::not_measured));
  const bool has_size = crossing.kind == Crossing::Kind::from;
  return {{"gpu_wins", text_or_null(std::string(name_in(words, crossing.kind)))},
          {"from_size", has_size ? Json(crossing.size) : Json(nullptr)}};
}

Json point_json(const CrossoverPoint& point) {
  return {{"size", point.size},
          {"variant", text_or_null(point.variant)},
          {"one_thread_s", value_or_null(point.one_thread_s)},
          {"all_threads_s", value_or_null(point.all_threads_s)},
          {"launch_s", value_or_null(point.launch_s)},
          {"copies_s", value_or_null(point.copies_s)}};
}

Json result_json(const CrossoverResult& result) {
  return {{"lesson", result.what.lesson},
          {"options", options_json(result.what.options)},
          {"seed", result.what.seed},
          {"one_thread", crossing_json(result.one_thread)},
          {"one_thread_with_copies", crossing_json(result.one_thread_with_copies)},
          {"all_threads", crossing_json(result.all_threads)},
          {"all_threads_with_copies", crossing_json(result.all_threads_with_copies)},
          {"points", list_json(result.points, point_json)}};
}

}  // namespace

std::string crossover_json(const std::vector<CrossoverResult>& results, const BenchResult& measured) {
  return document_text({{"schema", "gpulab.crossover"},
                        {"schema_version", "1.0.0"},
                        {"tool", tool_json(measured.facts.build)},
                        {"run", run_json(measured.facts)},
                        {"host", host_json(measured.facts)},
                        {"device", device_json(measured.device)},
                        {"complete", measured.complete()},
                        {"crossovers", list_json(results, result_json)}});
}

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

Json ceiling_json(const LimitResult& measured) {
  const char* unit = measured.traffic.limited_by_operations ? "operations_per_s" : "bytes_per_s";
  return {{"what", measured.ceiling.what}, {unit, measured.ceiling.per_s}};
}

Json reference_json(const LimitResult& measured) {
  if (!measured.reference) return nullptr;
  return {{"threads", measured.reference->threads},
          {"timing", timing_json(measured.reference->timing)},
          {"part_of_ceiling", value_or_null(measured.reference_fraction)}};
}

Json library_json(const std::optional<ReferenceResult>& library) {
  if (!library) return nullptr;
  const bool is_right = library->observed == Outcome::right;
  return {{"name", library->name},
          {"observed", identifier(library->observed)},
          {"threads", library->threads},
          {"timing", is_right ? timing_json(library->timing) : Json(nullptr)}};
}

Json target_json(const LimitResult& measured) {
  const auto number = [](double target) { return target > 0 ? Json(target) : Json(nullptr); };
  return {{"part_of_ceiling", number(measured.limit_case.min_fraction_of_ceiling)},
          {"times_yardstick", number(measured.limit_case.min_speedup)},
          {"met", meets_target(measured)}};
}

Json case_json(const LimitResult& measured) {
  return {{"lesson", measured.lesson},
          {"case", measured.limit_case.label},
          {"problem", measured.problem},
          {"bytes", measured.traffic.bytes_read + measured.traffic.bytes_written},
          {"operations", measured.traffic.operations},
          {"variant", timed_json(measured.variant)},
          {"yardstick", measured.yardstick ? timed_json(*measured.yardstick) : Json(nullptr)},
          {"times_yardstick", value_or_null(speedup_over_yardstick(measured))},
          {"ceiling", ceiling_json(measured)},
          {"part_of_ceiling", value_or_null(fraction_of_ceiling(measured))},
          {"target", target_json(measured)},
          {"reference", reference_json(measured)},
          {"host_library", library_json(measured.host_library)}};
}

Json simulated_json(const SimulationResult& measured) {
  const auto timed = [](const VariantResult& variant) -> Json {
    return {{"observed", identifier(variant.observed)},
            {"explanation", text_or_null(variant.explanation)},
            {"timing", variant.launch_wall ? timing_json(*variant.launch_wall) : Json(nullptr)}};
  };
  return {{"lesson", measured.lesson},
          {"case", measured.limit_case.label},
          {"problem", measured.problem},
          {"variant", measured.on_all_cores.name},
          {"launched_threads", threads_of(measured.on_all_cores)},
          {"one_core", timed(measured.on_one_core)},
          {"all_cores", timed(measured.on_all_cores)},
          {"gain_of_all_cores", value_or_null(parallel_speedup(measured))},
          {"host_library", library_json(measured.host_library)},
          {"times_library", value_or_null(speedup_over_library(measured))}};
}

}  // namespace

std::string limits_json(const LimitsResult& result, const RunFacts& facts) {
  return document_text({{"schema", "gpulab.limits"},
                        {"schema_version", "4.0.0"},
                        {"tool", tool_json(facts.build)},
                        {"run", run_json(facts)},
                        {"host", host_json(facts)},
                        {"device", device_json(result.device)},
                        {"seed", result.seed},
                        {"cases", list_json(result.cases, case_json)},
                        {"simulated", list_json(result.simulated, simulated_json)},
                        {"remarks", result.remarks},
                        {"exit_code", static_cast<int>(exit_code_of(result))}});
}

}  // namespace gpulab::bench
