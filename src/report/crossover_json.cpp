#include "report/crossover.hpp"
#include "report/json_values.hpp"

namespace gpulab::report {
namespace {

Json crossing_json(const Crossing& crossing) {
  switch (crossing.kind) {
    case Crossing::Kind::always:
      return {{"gpu_wins", "always"}, {"from_size", nullptr}};
    case Crossing::Kind::never:
      return {{"gpu_wins", "never"}, {"from_size", nullptr}};
    case Crossing::Kind::not_measured:
      return {{"gpu_wins", nullptr}, {"from_size", nullptr}};
    case Crossing::Kind::from:
      break;
  }
  return {{"gpu_wins", "from"}, {"from_size", crossing.size}};
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
  Json points = Json::array();
  for (const CrossoverPoint& point : result.points) points.push_back(point_json(point));
  return {{"lesson", result.what.lesson},
          {"options", options_json(result.what.options)},
          {"seed", result.what.seed},
          {"one_thread", crossing_json(result.one_thread)},
          {"one_thread_with_copies", crossing_json(result.one_thread_with_copies)},
          {"all_threads", crossing_json(result.all_threads)},
          {"all_threads_with_copies", crossing_json(result.all_threads_with_copies)},
          {"points", points}};
}

}  // namespace

std::string crossover_json(const std::vector<CrossoverResult>& results, const BenchResult& measured) {
  Json document = {{"schema", "gpulab.crossover"},
                   {"schema_version", "1.0.0"},
                   {"tool", tool_json(measured.facts.build)},
                   {"run", run_json(measured.facts)},
                   {"host", host_json(measured.facts)},
                   {"device", device_json(measured.device)},
                   {"complete", measured.complete()},
                   {"crossovers", Json::array()}};
  for (const CrossoverResult& result : results) document["crossovers"].push_back(result_json(result));
  return document_text(document);
}

}  // namespace gpulab::report
