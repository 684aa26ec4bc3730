#include "report/comparison_formats.hpp"
#include "report/json_values.hpp"

namespace gpulab::report {
namespace {

Json source_json(const BenchResult& result) {
  return {{"tool", tool_json(result.facts.build)},
          {"run", run_json(result.facts)},
          {"host", host_json(result.facts)},
          {"device",
           {{"kind", result.device.kind},
            {"name", result.device.name},
            {"driver", text_or_null(result.device.driver_version)}}},
          {"complete", result.complete()}};
}

Json change_json(const Change& change) {
  const auto bound = [&](double Interval::*end) {
    return change.ratio_range ? Json(*change.ratio_range.*end) : Json(nullptr);
  };
  const BenchCase& what = change.what;
  return {{"id", id_of(what)},
          {"lesson", what.lesson},
          {"variant", what.variant},
          {"size", what.size},
          {"seed", what.seed},
          {"options", options_json(what.options)},
          {"block_size", known_or_null(what.block_size)},
          {"figure", text_or_null(change.figure)},
          {"unit", change.figure.empty() ? Json(nullptr) : Json(name_of(change.unit))},
          {"verdict", name_of(change.kind)},
          {"before", value_or_null(change.before)},
          {"now", value_or_null(change.now)},
          {"ratio", value_or_null(change.ratio)},
          {"ratio_low", bound(&Interval::low)},
          {"ratio_high", bound(&Interval::high)},
          {"reason", text_or_null(change.reason)}};
}

Json side_json(const std::vector<BenchResult>& results, std::size_t processes) {
  Json documents = Json::array();
  for (const BenchResult& result : results) documents.push_back(source_json(result));
  return {{"processes", processes}, {"documents", documents}};
}

Json counts_json(const Comparison& comparison) {
  Json counts = Json::object();
  for (const ChangeKind kind : all_change_kinds) counts[std::string(name_of(kind))] = comparison.count(kind);
  return counts;
}

}  // namespace

std::string comparison_json(const Comparison& comparison, const RunFacts& facts) {
  Json changes = Json::array();
  for (const Change& change : comparison.changes) changes.push_back(change_json(change));
  return document_text({{"schema", "gpulab.compare"},
                        {"schema_version", "1.0.0"},
                        {"tool", tool_json(facts.build)},
                        {"run", run_json(facts)},
                        {"rules",
                         {{"threshold", comparison.rules.threshold},
                          {"min_difference_s", value_or_null(comparison.rules.min_difference_s)},
                          {"strict", comparison.rules.is_strict}}},
                        {"before", side_json(comparison.before, comparison.processes_before)},
                        {"now", side_json(comparison.now, comparison.processes_now)},
                        {"verdicts", counts_json(comparison)},
                        {"changes", changes},
                        {"remarks", comparison.remarks},
                        {"exit_code", static_cast<int>(exit_code_of(comparison))}});
}

}  // namespace gpulab::report
