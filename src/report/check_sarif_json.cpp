#include <fmt/format.h>
#include <filesystem>
#include <map>

#include "core/text.hpp"
#include "report/check_formats.hpp"
#include "report/json_values.hpp"

// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

namespace gpulab::report {
namespace {

// RFC 3986: in a relative reference a colon would end a scheme.
std::string uri_of(const std::string& file) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char letter : std::filesystem::path(file).lexically_normal().string())
    uri += plain.find(letter) != std::string_view::npos
               ? std::string(1, letter)
               : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  return uri;
}

Json location_json(const std::string& file, int line, int column) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri_of(file)}}},
            {"region", {{"startLine", line}, {"startColumn", column}}}}}};
}

Json text_json(const std::string& text) {
  return {{"text", text}};
}

class SarifRun {
 public:
  void add(const CheckResult& result) {
    if (result.verdict == Verdict::not_checked)
      notifications_.push_back({{"level", "error"},
                                {"message", text_json(result.summary)},
                                {"locations", Json::array({location_json(result.file, 1, 1)})}});
    else
      for (const CheckProblem& problem : problems_of(result)) add(result, problem);
  }

  Json json() const {
    return {{"tool", {{"driver", {{"name", "gpulab"}, {"rules", rules_}}}}},
            {"invocations", Json::array({Json{{"executionSuccessful", notifications_.empty()},
                                              {"toolExecutionNotifications", notifications_}}})},
            {"results", results_}};
  }

 private:
  void add(const CheckResult& result, const CheckProblem& problem) {
    Json entry = {{"ruleId", problem.pattern},
                  {"ruleIndex", index_of_rule(problem.pattern, result)},
                  {"level", "error"},
                  {"message", text_json(problem.text)},
                  {"locations", Json::array({location_json(result.file, problem.line, problem.column)})},
                  {"partialFingerprints", {{"gpulab/v1", fingerprint(result, problem)}}}};
    for (const CheckPlace& place : problem.related) {
      Json location = location_json(result.file, place.line, place.column);
      location["message"] = text_json(place.text);
      entry["relatedLocations"].push_back(location);
    }
    results_.push_back(entry);
  }

  // The hint is known of what a check is about.
  std::size_t index_of_rule(const std::string& pattern, const CheckResult& result) {
    const auto [rule, is_new] = index_.try_emplace(pattern, rules_.size());
    if (is_new) rules_.push_back({{"id", pattern}, {"shortDescription", text_json(pattern)}});
    const bool has_hint = pattern == result.pattern && !result.hint.empty();
    for (const char* const field : {"fullDescription", "help"})
      if (has_hint || is_new) rules_[rule->second][field] = text_json(has_hint ? result.hint : pattern);
    return rule->second;
  }

  // The same when other lines are added or taken away: what is wrong, and the text of the line. Of equal ones
  // in a file, which it is.
  std::string fingerprint(const CheckResult& result, const CheckProblem& problem) {
    const std::string what =
        result.exercise + "\n" + uri_of(result.file) + "\n" + problem.pattern + "\n" + problem.source;
    return fmt::format("{:016x}:{}", fnv1a(what), ++equal_[what]);
  }

  std::map<std::string, std::size_t> index_, equal_;
  Json rules_ = Json::array(), results_ = Json::array(), notifications_ = Json::array();
};

}  // namespace

std::string check_sarif(const std::vector<CheckResult>& results) {
  SarifRun run;
  for (const CheckResult& result : results) run.add(result);
  return document_text({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                        {"version", "2.1.0"},
                        {"runs", Json::array({run.json()})}});
}

}  // namespace gpulab::report
