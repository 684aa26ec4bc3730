#include <fmt/format.h>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "base/text.hpp"
#include "check/check_formats.hpp"
#include "check/checks.hpp"
#include "check/explanations.hpp"
#include "lesson/json_fields.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"
#include "run/inspection_json.hpp"

namespace gpulab::check {
namespace {

Json exercise_json(const ExerciseStanding& standing) {
  const auto& [exercise, progress] = standing;
  return {{"name", exercise.name},
          {"file", exercise.file},
          {"state", identifier(progress.state)},
          {"checks", progress.checks},
          {"hints_taken", progress.hints_taken},
          {"hints", exercise.hints.size()},
          {"last_pattern", text_or_null(progress.last_pattern)},
          {"passed_on", text_or_null(progress.passed_on)},
          {"read_solution", progress.read_solution}};
}

}  // namespace

std::string progress_json(const std::vector<ExerciseStanding>& standings) {
  const ExerciseStanding* next = first_not_passed(standings);
  Json document = {{"schema", "gpulab.progress"},
                   {"schema_version", "1.1.0"},
                   {"next", next ? Json(next->exercise.name) : Json(nullptr)},
                   {"exercises", Json::array()}};
  for (const ExerciseStanding& standing : standings) document["exercises"].push_back(exercise_json(standing));
  return document_text(document);
}

namespace {

Json gpu_json(const std::vector<VariantResult>& on_gpu) {
  Json list = Json::array();
  for (const VariantResult& variant : on_gpu)
    list.push_back(
        {{"name", variant.name},
         {"kernel", variant.kernel},
         {"observed", identifier(variant.observed)},
         {"as_expected", variant.as_expected()},
         {"size", variant.size},
         {"explanation", text_or_null(variant.explanation)},
         {"kernel_cold_s", variant.kernel_cold ? Json(variant.kernel_cold->median_s) : Json(nullptr)}});
  return list;
}

Json predicted_json(const std::optional<PredictedTimes>& times) {
  if (!times) return nullptr;
  const auto summary = [](const Estimate& estimate) {
    return Json{{"seconds", estimate.seconds},
                {"low_s", estimate.low_s},
                {"high_s", estimate.high_s},
                {"limiter", identifier(estimate.bounds.front().limiter)}};
  };
  return {{"gpu", times->yours.gpu}, {"yours", summary(times->yours)}, {"courses", summary(times->solution)}};
}

}  // namespace
}  // namespace gpulab::check

// The archives look for the fields of a struct in its own namespace.
namespace gpulab {

template <class Archive>
void fields(Archive& archive, MaybeConst<InputValue> auto& input) {
  archive("array", input.array);
  archive("index", input.index);
  archive("value", input.value);
  archive("row_length", input.row_length);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Difference> auto& difference) {
  archive("index", difference.index);
  archive("expected", difference.expected);
  archive("actual", difference.actual);
  bool is_written = !difference.is_poison;
  archive("written", is_written);
  if constexpr (Archive::reads) difference.is_poison = !is_written;
  archive("row_length", difference.row_length);
  archive("inputs", difference.inputs);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<CheckPlace> auto& place) {
  archive("line", place.line);
  archive("column", place.column);
  archive("source", place.source);
  archive.known("pattern", place.pattern);
  archive("text", place.text);
}

// Settings that the kernel was tried with, except their size.
template <class Archive>
void setting_fields(Archive& archive, MaybeConst<std::optional<TriedWith>> auto& tried_with) {
  TriedWith settings = tried_with.value_or(TriedWith{});
  archive.known_if(tried_with.has_value(), "seed", settings.seed);
  archive("edge_inputs", settings.edge_inputs);
  archive("options", settings.options);
  if constexpr (Archive::reads) tried_with = settings;
}

template <class Archive>
void fields(Archive& archive, MaybeConst<CheckResult> auto& result) {
  archive.known("exercise", result.exercise);
  archive("file", result.file);
  archive.word("verdict", result.verdict, Verdict::not_checked, Verdict::not_checked);
  archive.derived("passed", [&] { return result.verdict == Verdict::right; });
  archive.known("pattern", result.pattern);
  archive.known("summary", result.summary);
  archive("details", result.details);
  archive.known("where", result.where);
  archive("first_differences", result.first_differences);
  archive.known("size", result.size);
  archive.known("block_size", result.block_size);
  archive.known("schedule", result.schedule);
  setting_fields(archive, result.tried_with);
  archive.known("line", result.line);
  archive.known_if(result.line > 0, "column", result.column);
  archive.known("source", result.source);
  archive("related", result.related);
  archive.known("hint", result.hint);
  archive.derived("reproduce", [&] { return none_if_empty(check::reproduce_command(result)); });
  archive.derived("check", [&] { return check::check_command(result); });
  archive("notes", result.notes);
  archive.known("compiler_log", result.compiler_log);
  archive.known("printed", result.printed);
  archive.derived("on_gpu", [&] { return check::gpu_json(result.on_gpu); });
  archive.derived("predicted", [&] { return check::predicted_json(result.predicted); });
  archive("seconds", result.seconds);
  archive.known("questions", result.questions);
  archive.known_if(result.questions > 0, "right_answers", result.right_answers);
}

// Fields that packed() sends of a variant on a GPU; users get gpu_json().
template <class Archive>
void fields(Archive& archive, MaybeConst<VariantResult> auto& result) {
  archive("name", result.name);
  archive.word("observed", result.observed, Outcome::not_run, Outcome::not_run);
  archive.known("explanation", result.explanation);
  archive.known("kernel_cold", result.kernel_cold);
}

}  // namespace gpulab

namespace gpulab::check {

std::string check_json(const std::vector<CheckResult>& results, ExitCode exit_code) {
  Json document = {{"schema", "gpulab.check"}, {"schema_version", "2.5.0"}, {"checks", Json::array()}};
  for (const CheckResult& result : results) document["checks"].push_back(json_of(result));
  document["exit_code"] = static_cast<int>(exit_code);
  return document_text(document);
}

namespace {

// Field that only packed results have: the size that was tried, 0 for a lesson without sizes; absent if
// nothing was tried.
constexpr const char* size_field = "tried_size";
// Field that only packed results have: CheckResult::fact.
constexpr const char* fact_field = "fact";

template <class Read>
auto read_whole(const Read& read) try {
  return read();
} catch (const std::exception&) {
  throw std::runtime_error("the result of a check was cut short");
}

}  // namespace

std::string packed(const CheckResult& result) {
  Json document = json_of(result);
  if (result.tried_with) document[size_field] = result.tried_with->size;
  document[fact_field] = result.fact;
  return gpulab::packed(document);
}

CheckResult unpacked(const std::string& bytes) {
  return read_whole([&] {
    const Json document = gpulab::unpacked(bytes);
    CheckResult result;
    JsonReader reader(document);
    fields(reader, result);
    reader(fact_field, result.fact);
    if (document.contains(size_field))
      reader(size_field, result.tried_with->size);
    else
      result.tried_with.reset();
    return result;
  });
}

std::string packed(const std::vector<VariantResult>& variants) {
  return gpulab::packed({{"variants", json_of(variants)}});
}

std::vector<VariantResult> unpacked_variants(const std::string& bytes) {
  return read_whole([&] {
    const Json document = gpulab::unpacked(bytes);
    std::vector<VariantResult> variants;
    JsonReader reader(document);
    reader("variants", variants);
    return variants;
  });
}

// https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format

namespace {

constexpr double points_of_a_test = 1;

double score_of(const CheckResult& result) {
  if (result.verdict == Verdict::right) return points_of_a_test;
  if (result.questions == 0) return 0;
  const double part = static_cast<double>(result.right_answers) / static_cast<double>(result.questions);
  return points_of_a_test * std::round(100 * part) / 100;
}

Json test_json(const CheckResult& result, std::size_t number) {
  Json tags = Json::array();
  if (!result.exercise.empty()) tags.push_back(result.exercise);
  if (result.verdict != Verdict::right) tags.push_back(problems_of(result).front().pattern);
  return {{"name", (result.exercise.empty() ? "" : result.exercise + ": ") + result.file},
          {"number", std::to_string(number)},
          {"score", score_of(result)},
          {"max_score", points_of_a_test},
          {"status", result.verdict == Verdict::right ? "passed" : "failed"},
          {"output", check_text(result, {.width = 80})},
          {"output_format", "text"},
          {"tags", tags},
          {"visibility", "visible"}};
}

}  // namespace

std::string check_gradescope(const std::vector<CheckResult>& results) {
  double seconds = 0;
  Json tests = Json::array();
  for (const CheckResult& result : results) {
    seconds += result.seconds;
    tests.push_back(test_json(result, tests.size() + 1));
  }
  return document_text({{"execution_time", seconds},
                        {"output", checks_summary(results)},
                        {"output_format", "text"},
                        {"visibility", "visible"},
                        {"stdout_visibility", "hidden"},
                        {"tests", tests}});
}

std::string no_gradescope(const std::string& why) {
  return document_text({{"score", 0}, {"output", why}, {"output_format", "text"}, {"visibility", "visible"}});
}

// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

namespace {

// Returns the URI of a file, relative if the file is in this folder. Encodes colons, too: in a relative
// reference, the text before a colon would be a scheme (RFC 3986).
std::string uri_of(const std::string& name) {
  const std::filesystem::path relative =
      std::filesystem::path(name).lexically_proximate(std::filesystem::current_path());
  const bool is_outside = relative.begin() != relative.end() && *relative.begin() == "..";
  const std::string file = is_outside ? name : relative.string();
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
    has_run_ &= !result.exercise.empty() || result.verdict != Verdict::does_not_compile;
  }

  Json json(int exit_code) const {
    const std::string& version = build_facts().version;
    const Json driver = {
        {"name", "gpulab"}, {"version", version}, {"semanticVersion", version}, {"rules", rules_}};
    return {{"tool", {{"driver", driver}}},
            {"columnKind", "unicodeCodePoints"},
            {"invocations", Json::array({Json{{"executionSuccessful", has_run_ && notifications_.empty()},
                                              {"exitCode", exit_code},
                                              {"toolExecutionNotifications", notifications_}}})},
            {"results", results_}};
  }

 private:
  static const char* level_of(const CheckProblem& problem) { return problem.is_note ? "note" : "error"; }

  void add(const CheckResult& result, const CheckProblem& problem) {
    Json entry = {{"ruleId", problem.pattern},
                  {"ruleIndex", index_of_rule(problem, result)},
                  {"level", level_of(problem)},
                  {"message", text_json(problem.text)},
                  {"locations", Json::array({location_json(result.file, problem.line, problem.column)})},
                  {"partialFingerprints", {{"gpulab/v1", fingerprint(result, problem)}}}};
    for (const CheckPlace& place : problem.related) {
      Json location = location_json(place.file.empty() ? result.file : place.file, place.line, place.column);
      location["message"] = text_json(place.text);
      entry["relatedLocations"].push_back(location);
    }
    if (problem.is_allowed)
      entry["suppressions"] =
          Json::array({Json{{"kind", "external"}, {"justification", "gpulab run --allow"}}});
    results_.push_back(entry);
  }

  // Returns the index of the pattern's rule. A new rule gets the texts that `gpulab explain PATTERN` prints.
  std::size_t index_of_rule(const CheckProblem& problem, const CheckResult& result) {
    const std::string& pattern = problem.pattern;
    const auto [rule, is_new] = rule_indices_.try_emplace(pattern, rules_.size());
    if (is_new) add_rule(pattern, result);
    if (is_new || !problem.is_note) {
      Json& rule_json = rules_[rule->second];
      rule_json["defaultConfiguration"]["level"] = level_of(problem);
      rule_json["properties"]["problem.severity"] = problem.is_note ? "recommendation" : "error";
    }
    return rule->second;
  }

  void add_rule(const std::string& pattern, const CheckResult& result) {
    const PatternHint* const known = find_pattern(pattern);
    std::string hint = known ? known->hint : pattern == result.pattern ? result.hint : "";
    if (hint.empty()) hint = pattern;
    const std::size_t end = std::min({hint.find(". "), hint.find("? "), hint.size() - 1});
    std::string text = hint, markdown = hint;
    if (known && !known->wrong_line.empty()) {
      text += fmt::format("\nwrong: {}\nright: {}", known->wrong_line, known->right_line);
      markdown +=
          fmt::format("\n\n```cuda\n{}  // wrong\n{}  // right\n```\n", known->wrong_line, known->right_line);
    }
    rules_.push_back({{"id", pattern},
                      {"name", pattern},
                      {"shortDescription", text_json(hint.substr(0, end + 1))},
                      {"fullDescription", text_json(hint)},
                      {"help", {{"text", text}, {"markdown", markdown}}},
                      {"properties", {{"tags", {"correctness", "cuda"}}}}});
  }

  // Returns what stays the same when other lines are added or removed: the problem and the text of the line.
  // Equal problems in a file get numbers.
  std::string fingerprint(const CheckResult& result, const CheckProblem& problem) {
    const std::string identity =
        fmt::format("{}\n{}\n{}\n{}", result.exercise, uri_of(result.file), problem.pattern, problem.source);
    return fmt::format("{:016x}:{}", fnv1a(identity), ++times_seen_[identity]);
  }

  bool has_run_ = true;
  std::map<std::string, std::size_t> rule_indices_, times_seen_;
  Json rules_ = Json::array(), results_ = Json::array(), notifications_ = Json::array();
};

}  // namespace

std::string check_sarif(const std::vector<CheckResult>& results, int exit_code) {
  SarifRun run;
  for (const CheckResult& result : results) run.add(result);
  return document_text({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                        {"version", "2.1.0"},
                        {"runs", Json::array({run.json(exit_code)})}});
}

namespace {

Json place_json(const ProgramResult& result, const SourcePlace& place) {
  Json callers = Json::array();
  for (const SourcePlace& caller : place.callers) callers.push_back(place_json(result, caller));
  return {{"file", place.file.empty() ? result.file : place.file},
          {"line", known_or_null(place.line)},
          {"column", known_or_null(place.column)},
          {"source", text_or_null(place.source)},
          {"callers", callers}};
}

Json finding_json(const ProgramResult& result, const ProgramFinding& finding) {
  Json related = Json::array();
  for (const ProgramFinding::Other& other : finding.others) {
    Json place = place_json(result, other.place);
    place["text"] = other.text;
    related.push_back(place);
  }
  Json json = {{"pattern", finding.pattern},
               {"kind", finding.is_note ? "note" : "defect"},
               {"allowed", finding.is_allowed}};
  json.update(place_json(result, finding.place));
  json["text"] = finding.text;
  json["instead"] = text_or_null(finding.correction);
  json["related"] = related;
  json["count"] = finding.count;
  return json;
}

Json predicted_launches_json(const std::vector<PredictedLaunches>& predicted) {
  Json list = Json::array();
  for (const PredictedLaunches& shape : predicted) {
    const auto if_predicted = [&](const auto& value) { return shape.why_not.empty() ? Json(value) : Json(); };
    list.push_back({{"blocks", shape.config.grid.volume()},
                    {"threads_per_block", shape.config.block.volume()},
                    {"launches", shape.launches},
                    {"seconds", if_predicted(shape.seconds)},
                    {"low_s", if_predicted(shape.low_s)},
                    {"high_s", if_predicted(shape.high_s)},
                    {"limiter", if_predicted(identifier(shape.limiter))},
                    {"instructions", shape.is_guessed ? "guessed" : "compiled"},
                    {"why_not", text_or_null(shape.why_not)}});
  }
  return list;
}

Json kernel_json(const ProgramResult& result, const KernelCounts& counts) {
  const VariantInspection inspection = as_inspection(result, counts);
  return {{"name", counts.kernel},
          {"launches", counts.launches},
          {"predicted", predicted_launches_json(counts.predicted)},
          {"lines", run::lines_with_accesses_json(inspection)},
          {"worst", run::worst_json(inspection)}};
}

Json timeline_json(const ProgramResult& result) {
  Json list = Json::array();
  for (const TimelineEntry& entry : result.report.timeline)
    list.push_back({{"name", entry.name},
                    {"stream", entry.stream >= 0 ? Json(entry.stream) : Json(nullptr)},
                    {"line", known_or_null(entry.place.line)},
                    {"file", entry.place.file.empty() ? result.file : entry.place.file},
                    {"start_s", entry.start_s},
                    {"end_s", entry.end_s},
                    {"bytes", known_or_null(entry.bytes)}});
  return list;
}

constexpr const char* watch_names[] = {"nothing", "defects", "accesses"};

}  // namespace

std::string program_json(const ProgramResult& result) {
  Json document = {{"schema", "gpulab.program"},
                   {"schema_version", "1.7.0"},
                   {"file", result.file},
                   {"watched", watch_names[static_cast<int>(result.watch)]},
                   {"status", result.status},
                   {"signal", result.signal ? Json(result.signal) : Json(nullptr)},
                   {"reported", result.has_report},
                   {"launches", result.report.launches},
                   {"sampled_blocks", result.report.sampled_blocks},
                   {"recorded_blocks", result.report.recorded_blocks},
                   {"warp_size", result.warp_size ? Json(result.warp_size) : Json(nullptr)},
                   {"calls", result.report.calls},
                   {"findings", Json::array()},
                   {"kernels", Json::array()},
                   {"timeline", timeline_json(result)},
                   {"seconds", result.seconds},
                   {"exit_code", result.exit_code()}};
  for (const ProgramFinding& finding : result.report.findings)
    document["findings"].push_back(finding_json(result, finding));
  for (const KernelCounts& counts : result.report.counts)
    document["kernels"].push_back(kernel_json(result, counts));
  return document_text(document);
}

}  // namespace gpulab::check
