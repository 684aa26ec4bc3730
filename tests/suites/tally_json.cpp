#include <nlohmann/json.hpp>

#include "suites/tally.hpp"

namespace gpulab::suites {
namespace {

using Json = nlohmann::json;

Json json_of_counts(const Judged& judged) {
  Json counts = Json::array();
  for (const JudgedCount& count : judged.counts)
    counts.push_back({{"what", count.expected.what},
                      {"suite", count.expected.value},
                      {"observed", count.observed},
                      {"equal", count.is_equal},
                      {"corrected", count.is_corrected},
                      {"reason", count.expected.reason}});
  return counts;
}

// Lists the defects of all orders, each sentence once.
Json json_of_defects(const Judged& judged) {
  Json defects = Json::array();
  std::vector<std::string> listed;
  for (const Observation& observation : judged.observations)
    for (const SeenDefect& defect : observation.defects) {
      const std::string key = defect.kind + std::to_string(defect.line);
      if (std::ranges::count(listed, key)) continue;
      listed.push_back(key);
      defects.push_back({{"kind", defect.kind},
                         {"line", defect.line},
                         {"text", defect.text},
                         {"note", defect.is_note},
                         {"order", observation.order}});
    }
  return defects;
}

Json json_of_case(const Judged& judged) {
  Json outcomes = Json::object();
  for (const auto& [name, outcome] : judged.outcomes) outcomes[name] = name_of(outcome);
  return {{"name", judged.test_case->name},
          {"outcomes", outcomes},
          {"expected", judged.test_case->expected},
          {"explained", judged.test_case->explained},
          {"counts", json_of_counts(judged)},
          {"defects", json_of_defects(judged)},
          {"not_run", judged.not_run},
          {"detail", judged.detail},
          {"seconds", judged.seconds}};
}

Json json_of_class(const Tally& tally, const std::string& name) {
  Json counts = {{"class", name}};
  for (int i = 0; i <= static_cast<int>(Outcome::not_run); ++i)
    counts[std::string(name_of(static_cast<Outcome>(i)))] = tally.count(name, static_cast<Outcome>(i));
  return counts;
}

}  // namespace

std::string json_of(const Tally& tally) {
  Json json = {{"suite", tally.manifest->suite},
               {"about", tally.manifest->about},
               {"seconds", tally.seconds},
               {"skipped", tally.manifest->skipped},
               {"counts",
                {{"all", tally.all_counts()},
                 {"equal", tally.equal_counts()},
                 {"corrected", tally.corrected_counts()}}}};
  for (const auto& [name, classes] : tally.manifest->judged)
    json["classes"].push_back(json_of_class(tally, name));
  for (const Judged& judged : *tally.cases) json["cases"].push_back(json_of_case(judged));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpulab::suites
